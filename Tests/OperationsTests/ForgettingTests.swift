import AuditPage
import CheerAPI
import CivilTime
import Configuration
import Described
import Digests
import Evidence
import Failures
import Foundation
import Foundations
import HTTPServer
import Ledger
import LedgerStore
import NotificationRelay
import Sandbox
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// A forgotten user: what is deleted, what stays, and that nobody asks, takes or sends anything about them any more.
@Suite(.offThePool) struct ForgettingTests {
  private static let noon = Instant(seconds: 1_795_176_000)
  /// What only the person's own files and lines hold.
  private static let traces = ["ann-at-the-api", "token-of-ann", "ann@mail", "pass-ann", "Kyoto"]
  private static let roster = """
    {"user":"p1","apiUser":"ann-at-the-api","timezone":"UTC","deviceToken":"token-of-ann","language":"ja"}
    {"user":"p2","timezone":"UTC","deviceToken":"token-of-bob"}

    """
  private static let credentials = """
    // one line a user
    {"user":"p1","email":"ann@mail","password":"pass-ann"}
    {"user":"p2","token":"t2"}

    """

  private static func digest(_ token: String) -> String {
    SHA256.digest(of: Array(token.utf8)).description
  }

  /// A place with two users, of whom every file that may hold something holds something.
  private func scene(_ api: HTTPServer? = nil) async throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.baseURL = "http://127.0.0.1:\(api?.port ?? 9)/api/v1"
    settings.credential = "\"credentials\": \"./credentials.jsonl\""
    settings.relay = """
      {"journal": {"kind": "file", "path": "./events.jsonl"},
       "push": {"kind": "fcm", "credentials": {"file": "./account.json"}}}
      """
    let place = try TestPlace(settings)
    try place.write("users.jsonl", Self.roster)
    try place.write("credentials.jsonl", Self.credentials, isSecret: true)
    let runtime = try await place.open(FixedClock(at: Self.noon))
    _ = try await importing(Self.roster, runtime)
    let lines = """
      {"user":"p1","kind":"comment","at":"2026-11-20T11:00:00Z","note":"Ann from Kyoto"}
      {"user":"p2","kind":"comment","at":"2026-11-20T11:00:00Z","note":"about p1"}
      {"user":"\\u0070\\u0031","kind":"hum","note":"Kyoto"}
      {"user":"p1","note":"Kyoto
      {"user":"p10","note":"a stranger"}

      """
    _ = try await Ingestion(runtime).run(Array(lines.utf8), name: "a.jsonl")
    if api != nil { for user in 0...1 { _ = try await runtime.poller?.poll(user) } }
    let ledger = runtime.store?.report.ledger ?? ""
    await runtime.close()
    // What a service leaves of its deliveries, and of a token that reaches nobody.
    let writer = try SinkWriter("journal", in: place.directory, SinkWriter.Terms(ledger: ledger))
    for (seq, user) in [(4, "p1"), (5, "p2")] {
      for (index, outcome) in ["delivered", "dead"].enumerated() {
        let attempt =
          #"{"event":"\#(user)/2026-11-20/comment","of":\#(seq),"index":\#(index),"user":"","#
          + #""attempt":1,"outcome":"\#(outcome)"}"#
        writer.apply([.attempt(try DeliveryAttempt(json: Array(attempt.utf8)))], at: Self.noon)
      }
    }
    try writer.write(at: Self.noon)
    try FileManager.default.createDirectory(
      atPath: place.directory.relay(sink: "push"), withIntermediateDirectories: true)
    try place.write(
      "data/relay/push/forgotten",
      ["token-of-ann", "token-of-bob"].map { Self.digest($0) + "\n" }.joined())
    return place
  }

  private func importing(_ roster: String, _ runtime: Runtime) async throws -> RosterImport.Result {
    try await RosterRequest(Array(roster.utf8), of: "users.jsonl", actor: nil, approving: nil)
      .perform(at: Place(runtime, account: "root"))
  }

  private func forget(_ user: String, _ runtime: Runtime) async throws -> UserForgetting.Report {
    try await ForgetRequest(user, reason: "asked for it", actor: nil)
      .perform(at: Place(runtime, account: "root"))
  }

  /// The files of a place that hold one of `words`, each as `FILE: WORD`.
  private func files(of place: TestPlace, holding words: [String]) -> [String] {
    let found = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String }
    return (found ?? []).sorted().flatMap { name in
      let text = FileManager.default.contents(atPath: "\(place.path)/\(name)") ?? Data()
      return words.filter { text.range(of: Data($0.utf8)) != nil }.map { "\(name): \($0)" }
    }
  }

  @Test func deletesWhateverLeadsToThePersonAndSaysWhatStays() async throws {
    let asked = Lock<[String]>([])
    let api = try HTTPServer.start(on: .loopback()) { request in
      asked.withLock { $0.append(request.path) }
      return .respond(
        .json(Array((request.path.hasSuffix("login") ? #"{"token":"t"}"# : "{}").utf8)))
    }
    let place = try await scene(api)
    #expect(asked.withLock { $0.contains { $0.hasSuffix("/date/ann-at-the-api") } })
    #expect(asked.withLock { !$0.contains { $0.hasSuffix("/p1") } })
    #expect(!files(of: place, holding: Self.traces).isEmpty)
    #expect(
      files(of: place, holding: ["ann-at-the-api"]) == ["users.jsonl: ann-at-the-api"],
      "in no file of ours")

    let report = try await place.at("2026-11-20T12:00:10Z") { runtime in
      let report = try await forget("p1", runtime)
      asked.withLock { $0 = [] }
      let round = try await runtime.poller?.poll(0)
      #expect(round?.looks == 0 && asked.withLock { $0.isEmpty })
      return report
    }
    #expect(report.problems == [] && report.isPseudonym && !report.wasForgotten)
    #expect(report.sinks == ["journal", "push"])
    #expect(
      report.removed.map { "\($0.what) \($0.count)" } == [
        "polls and habits 1", "push device or document id 1", "delivery logs 3", "inbox lines 5",
        "credentials 1", "roster line 1",
      ])
    #expect(report.ledgerLines > 3 && report.elsewhere.count == 3)
    #expect(files(of: place, holding: Self.traces) == [])
    #expect(place.read("users.jsonl") == Self.roster.split(separator: "\n")[1] + "\n")
    #expect(place.read("credentials.jsonl").hasPrefix("// one line a user\n{\"user\":\"p2\""))
    #expect(place.read("data/relay/push/forgotten") == Self.digest("token-of-bob") + "\n")
    let done = place.names(in: "data/inbox/done").map { place.read("data/inbox/done/\($0)") }
    #expect(done.joined().contains("about p1") && done.joined().contains("p10"))
    #expect(done.joined().filter { $0 == "\n" }.count == 5, "the lines keep their numbers")
    let sink = SinkFolder("journal", in: place.directory)
    #expect(try sink.deadLetters().map(\.attempt.event) == ["p2/2026-11-20/comment"])
    #expect(try sink.flaws() == [])
    let attributes = try FileManager.default.attributesOfItem(
      atPath: "\(place.path)/credentials.jsonl")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

    // Whoever asks again learns that it is done; nobody comes back under the id.
    try await place.at("2026-11-20T12:00:20Z") { runtime in
      let again = try await forget("p1", runtime)
      #expect(again.wasForgotten && again.at == report.at && again.isPseudonym)
      #expect(again.removed == [] && again.problems == [])
      try place.write("users.jsonl", Self.roster)
      let back = try await importing(Self.roster, runtime)
      #expect(back.added == 0 && back.unchanged == 1)
      #expect(back.problems.map(\.line) == [1])
      #expect(back.problems[0].what.contains("was forgotten at"))
      let late = Array(#"{"user":"p1","kind":"share","at":"2026-11-20T11:30:00Z"}"#.utf8)
      #expect(try await Ingestion(runtime).run(late, name: "b.jsonl").rejected == 1)
    }
    let environment = place.environment(FixedClock(at: Self.noon.adding(seconds: 60)))
    let audit = try await Audit(place.configuration(), environment).run()
    #expect(audit.checks.filter { !$0.passed }.map(\.name) == [])
    await api.stop(graceSeconds: 0)
  }

  /// Killed at each call that changes a file, and repeated, it has deleted the same.
  @Test func whatAKillLeftIsDeletedByTheNextTry() async throws {
    for call in 1... {
      let place = try await scene()
      let files = FaultyFileSystem()
      var configuration = try place.configuration()
      configuration.files = files
      let runtime = try await Runtime.open(
        configuration, place.environment(FixedClock(at: Self.noon)))
      try await runtime.recordRules()
      let begun = files.calls.count
      files.fail(.init(fault: .kill, atCall: begun + call))
      _ = try? await forget("p1", runtime)
      let wasReached = files.wasReached
      await runtime.close()
      try await place.at("2026-11-20T12:00:10Z") { runtime in
        let report = try await forget("p1", runtime)
        #expect(report.problems == [] && report.isPseudonym, "call \(call)")
      }
      #expect(self.files(of: place, holding: Self.traces) == [], "call \(call)")
      let sink = SinkFolder("journal", in: place.directory)
      #expect(try sink.deadLetters().map(\.attempt.event) == ["p2/2026-11-20/comment"])
      if !wasReached {
        #expect(call > 20)
        return
      }
    }
  }

  /// What waits for a forgotten user at a sink never goes out; that they were forgotten does.
  @Test func nothingThatWaitsForTheUserIsSent() async throws {
    let place = try await scene()
    try place.remove("data/relay")
    try FileManager.default.createDirectory(
      atPath: place.directory.relay, withIntermediateDirectories: true)
    var settings = TestPlace.Settings()
    settings.relay = """
      {"journal": {"kind": "file", "path": "./events.jsonl"},
       "accounts": {"kind": "file", "path": "./accounts.jsonl", "events": ["account"]},
       "monitor": {"kind": "file", "path": "./monitor.jsonl", "events": ["operations"]}}
      """
    try place.configure(settings)
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    let runtime = try await place.open(clock)
    for sink in ["journal", "accounts"] {
      try await SinkPauseRequest(of: sink, reason: "a test", actor: nil)
        .perform(at: Place(runtime, account: "root"))
    }
    let signals = ServiceSwitch()
    let service = try await Service.start(runtime, signals: signals)
    let running = clock.start { await service.run() }
    await clock.run(until: clock.now().adding(seconds: 60))
    #expect(place.read("events.jsonl") == "")
    let report = try await forget("p1", runtime)
    #expect(report.problems == [] && report.sinks == ["journal", "accounts"])
    let balances = (await service.balance(of: "p1"), await service.balance(of: "p2"))
    #expect(balances.0 == nil && balances.1 != nil)
    for sink in ["journal", "accounts"] {
      try await SinkResumeRequest(of: sink).perform(at: Place(runtime, account: "root"))
    }
    await clock.run(until: clock.now().adding(seconds: 60))
    signals.stop()
    await running.value
    await runtime.close()
    for (file, word) in [("events", "comment"), ("accounts", "account.changed")] {
      let events = place.read("\(file).jsonl").split(separator: "\n").map(String.init)
      let about = events.filter { $0.contains(#""subject":"p1""#) }
      #expect(about.count == 1, "\(file)")
      #expect(about.first?.contains("user.forgotten.v1") == true)
      #expect(about.first?.contains(#""data":{"pseudonym":true}"#) == true)
      #expect(events.contains { $0.contains(#""subject":"p2""#) && $0.contains(word) })
    }
    #expect(!place.read("monitor.jsonl").contains("forgotten"))
  }

  /// Each line of a roster, after one that imports `p1` as a pseudonym and `a1` as the app's own id, and what is said to it.
  @Test(arguments: [
    (#"{"user":"p1","apiUser":"9","timezone":"UTC"}"#, nil, true),
    (#"{"user":"p1","timezone":"UTC"}"#, "is a pseudonym, and this line has no \"apiUser\"", true),
    (#"{"user":"a1","apiUser":"8","timezone":"UTC"}"#, nil, true),
    (#"{"user":"a1","apiUser":"8","timezone":"UTC"}"#, "has no \"apiUser\"", false),
    (#"{"user":"p1","timezone":"UTC"}"#, "has an \"apiUser\"", false),
    (#"{"user":"p1","apiUser":"9","timezone":"UTC"}"#, "has another \"apiUser\"", false),
  ])
  func anIdOfTheAPIComesFromTheRosterFileOnly(
    line: String, problem: String?, isInFile: Bool
  ) async throws {
    let first = """
      {"user":"p1","apiUser":"7","timezone":"UTC"}
      {"user":"a1","timezone":"UTC"}

      """
    let place = try TestPlace()
    try place.write("users.jsonl", first)
    try await place.at("2026-11-20T12:00:00Z") { runtime in
      #expect(try await importing(first, runtime).problems == [])
      if isInFile { try place.write("users.jsonl", line + "\n") }
      let result = try await importing(line, runtime)
      #expect(result.problems.count == (problem == nil ? 0 : 1))
      let said = result.problems.first?.what ?? ""
      #expect(problem.map(said.contains) ?? said.isEmpty, "\(said)")
      #expect(!said.contains("\"9\"") && !said.contains("\"8\""))
      let state = await runtime.writer.read { state in
        ["p1", "a1"].map { state.ledger.account(of: $0)?.isPseudonym }
      }
      #expect(state == [true, problem == nil && line.contains("a1")])
    }
    let holders = Set(files(of: place, holding: ["apiUser"]))
    #expect(holders.isSubset(of: ["users.jsonl: apiUser"]))
  }

  /// A pseudonym whose line is gone is nobody's id at the API, and must not be asked for there.
  @Test func aPseudonymWithoutItsLineIsNotPolled() async throws {
    let asked = Lock(0)
    let api = try HTTPServer.start(on: .loopback()) { _ in
      asked.withLock { $0 += 1 }
      return .respond(.json(Array("{}".utf8)))
    }
    let place = try await scene(api)
    try place.write("users.jsonl", #"{"user":"p2","timezone":"UTC"}"# + "\n")
    asked.withLock { $0 = 0 }
    try await place.at("2026-11-20T12:00:10Z") { runtime in
      let round = try await runtime.poller?.poll(0)
      #expect(round?.failures == [.noAPIUser: round?.looks ?? 0] && round?.looks ?? 0 > 0)
      #expect(asked.withLock { $0 } == 0)
    }
    await api.stop(graceSeconds: 0)
  }

  @Test func refusesWhomTheLedgerDoesNotKnow() async throws {
    let place = try TestPlace()
    try place.write("users.jsonl", #"{"user":"typo","timezone":"UTC"}"# + "\n")
    let failure = await #expect(throws: Failure.self) {
      try await place.at("2026-11-20T12:00:00Z") { try await forget("typo", $0) }
    }
    #expect(failure?.exitCode == .badData)
    #expect(place.read("users.jsonl").contains("typo"))
  }

  /// The lines that it cannot read it leaves alone, and says so; the rest is done.
  @Test func namesALineThatMayBeTheUsers() async throws {
    let place = try await scene()
    try place.write("users.jsonl", Self.roster + "{\"user\":\"p1\",\n{\"user\":\"p11\",\n")
    let report = try await place.at("2026-11-20T12:00:10Z") { try await forget("p1", $0) }
    #expect(report.problems.count == 1 && report.problems[0].contains("line 3 cannot be read"))
    #expect(!place.read("users.jsonl").contains("ann-at-the-api"))
  }
}
