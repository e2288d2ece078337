import CivilTime
import Configuration
import Foundations
import HTTPServer
import Operations
import Sandbox
import TestSupport
import Testing

/// What `doctor` says of the API and the sinks.
@Suite(.offThePool) struct RemoteCheckupTests {
  private let clock = SystemClock()

  private func findings(_ place: TemporaryFolder) async throws -> [String: DoctorFinding] {
    let zones = SystemZones(directory: nil)
    let loader = ConfigurationLoader(environment: [:], zones: zones)
    let environment = RuntimeEnvironment(
      clock: clock, zones: zones, variables: [:],
      log: Log(level: .error, layout: .logfmt, clock: clock) { _ in },
      randomBytes: RandomBytes.make, command: "rewards doctor", actor: "tester")
    let configuration = try loader.load(file: "\(place.path)/rewards.json")
    let found = await RemoteCheckup(
      configuration, roster: configuration.readRoster(), environment
    ).findings()
    return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
  }

  private func api(_ faults: FaultPlan) throws -> HTTPServer {
    let life = LifeModel(seed: 1, userCount: 3, firstDay: Day(number: 20_000), dayCount: 2)
    return try SimulatedAPI(life: life, clock: clock, faults: faults).start()
  }

  /// A folder with a configuration; without a server no credentials are configured.
  private func place(_ server: HTTPServer? = nil, relay: String = "{}") throws -> TemporaryFolder {
    let place = try TemporaryFolder()
    try place.write("api-token", "sandbox-token")
    let api = server.map { server in
      "\"baseURL\": \"\(SimulatedAPI.baseURL(of: server))\", \"token\": {\"file\": \"./api-token\"}"
    }
    try place.write("rewards.json", "{\"api\": {\(api ?? "")}, \"relay\": \(relay)}")
    return place
  }

  @Test func anAPIThatAnswersIsWell() async throws {
    let server = try api(FaultPlan())
    let place = try place(server)
    let nobody = try await findings(place)["API"]
    #expect(nobody?.state == .attention && nobody?.what.contains("an id that nobody has") == true)
    try place.write("users.jsonl", "{\"user\":\"u100000\",\"timezone\":\"UTC\"}\n")
    #expect(try await findings(place)["API"]?.state == .well)
    #expect(try await findings(place)["disk"] != nil)
    await server.stop()
    let gone = try await findings(place)["API"]
    #expect(gone?.state == .failed && gone?.remedy?.contains("api.baseURL") == true)
  }

  @Test func aWrongBasePathIsNoUnknownUser() async throws {
    let server = try api(FaultPlan())
    let place = try place(server)
    try place.write(
      "rewards.json",
      "{\"api\": {\"baseURL\": \"http://127.0.0.1:\(server.port)/api/v9\", \"token\": {\"file\": \"./api-token\"}}}"
    )
    try place.write("users.jsonl", "{\"user\":\"u100000\",\"timezone\":\"UTC\"}\n")
    let finding = try await findings(place)["API"]
    #expect(finding?.state == .failed)
    #expect(
      finding?.what == "every route answers 404 for u100000: is the base path right?")
    await server.stop()
  }

  /// Only users with credentials are polled; a mistake in the file is another finding.
  @Test func usersWithoutCredentialsAreNotPolled() async throws {
    let server = try api(FaultPlan())
    let place = try TemporaryFolder()
    try place.write(
      "rewards.json",
      "{\"api\": {\"baseURL\": \"\(SimulatedAPI.baseURL(of: server))\", \"credentials\": \"./credentials.jsonl\"}}"
    )
    try place.write("users.jsonl", "{\"user\":\"u100001\"}\n{\"user\":\"u100000\"}\n")
    for (line, state) in [
      (#"{"user": "u100000", "token": "sandbox-token"}"#, DoctorFinding.State?.some(.well)),
      ("", nil), ("{", nil),
    ] {
      try place.write("credentials.jsonl", line)
      #expect(try await findings(place)["API"]?.state == state, "\(line)")
    }
    await server.stop()
  }

  @Test func aRefusedTokenIsNamed() async throws {
    let server = try api(FaultPlan(rates: FaultRates([.unauthorized: 1])))
    let place = try place(server)
    try place.write("users.jsonl", "{\"user\":\"u100000\",\"timezone\":\"UTC\"}\n")
    let finding = try await findings(place)["API"]
    #expect(finding?.state == .failed && finding?.what.contains("refuses the token") == true)
    await server.stop()
  }

  /// When the login fails, no other route is blamed.
  @Test func aFailedLoginIsNamed() async throws {
    let server = try api(FaultPlan())
    let place = try TemporaryFolder()
    let login = #"{"user": "u100000", "email": "a@b.c", "password": "wrong"}"#
    try place.write("credentials.jsonl", "// one user a line\n\(login)\n")
    try place.write("users.jsonl", "{\"user\":\"u100000\",\"timezone\":\"UTC\"}\n")
    for (path, what) in [("v1", "refuses the login"), ("v9", "route 100 (login):")] {
      try place.write(
        "rewards.json",
        "{\"api\": {\"baseURL\": \"http://127.0.0.1:\(server.port)/api/\(path)\", \"credentials\": \"./credentials.jsonl\"}}"
      )
      let finding = try await findings(place)["API"]
      #expect(finding?.state == .failed)
      #expect(finding?.what.contains(what) == true, "\(finding?.what ?? "")")
      let namesLine = finding?.remedy?.hasSuffix("credentials.jsonl, line 2") == true
      #expect(namesLine == (path == "v1"), "\(finding?.remedy ?? "")")
    }
    await server.stop()
  }

  /// What a service would refuse at its start is found without one.
  @Test(arguments: [
    (#"{"kind": "webhook", "url": "URL", "secret": {"file": "./api-token"}}"#, "whsec_"),
    (
      #"{"kind": "webhook", "url": "URL", "secret": {"file": "./good"}, "previousSecret": {"file": "./api-token"}}"#,
      "whsec_"
    ),
    (
      #"{"kind": "webhook", "url": "URL", "secret": {"file": "./good"}, "previousSecret": {"file": "./none"}}"#,
      "No such file"
    ),
    (#"{"kind": "fcm", "credentials": {"file": "./good"}}"#, "is not JSON"),
  ])
  func aSinkThatCannotBeUsedIsNamed(sink: String, cause: String) async throws {
    let server = try api(FaultPlan())
    let url = "http://127.0.0.1:\(server.port)/"
    let place = try place(
      server, relay: "{\"notify\": \(sink.replacing("URL", with: url))}")
    try place.write("good", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    let finding = try await findings(place)["sink notify"]
    #expect(finding?.state == .failed)
    #expect(finding?.what.contains(cause) == true, "\(finding?.what ?? "")")
    #expect(finding?.remedy?.contains("rewards") == true)
    await server.stop()
  }

  @Test func sinksAreReachedOrNamed() async throws {
    let server = try api(FaultPlan())
    let url = "http://127.0.0.1:\(server.port)/"
    let place = try place(
      server,
      relay: """
        {"journal": {"kind": "file", "path": "./events.jsonl"},
         "lost": {"kind": "file", "path": "./nowhere/events.jsonl"},
         "notify": {"kind": "webhook", "url": "\(url)", "secret": {"file": "./relay-secret"}}}
        """)
    try place.write("relay-secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    let there = try await findings(place)
    #expect(there["sink journal"]?.state == .well)
    #expect(there["sink lost"]?.state == .failed)
    #expect(there["sink notify"]?.state == .well)
    await server.stop()
    #expect(try await findings(place)["sink notify"]?.state == .failed)
  }

  @Test func withoutCredentialsNobodyIsAsked() async throws {
    #expect(try await findings(try place())["API"] == nil)
  }
}
