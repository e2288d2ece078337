import Configuration
import Foundations
import Operations
import TestSupport
import Testing

/// What `doctor` says of files on this machine.
@Suite(.offThePool) struct LocalCheckupTests {
  private func credentials(
    _ lines: [String], roster: [String]? = nil
  ) throws -> DoctorFinding? {
    let place = try TemporaryFolder()
    try place.write("rewards.json", #"{"api": {"credentials": "./credentials.jsonl"}}"#)
    try place.write("credentials.jsonl", lines.joined(separator: "\n"))
    if let roster { try place.write("users.jsonl", roster.joined(separator: "\n")) }
    return try finding("API credentials", in: place)
  }

  private func finding(_ name: String, in place: TemporaryFolder) throws -> DoctorFinding? {
    let zones = SystemZones(directory: nil)
    let configuration = try ConfigurationLoader(environment: [:], zones: zones)
      .load(file: "\(place.path)/rewards.json")
    return LocalCheckup(
      configuration, roster: configuration.readRoster(), environment: [:], zones: zones,
      now: SystemClock().now()
    ).findings().first { $0.name == name }
  }

  @Test func credentialsOfManyUsersAreReadAsTheServiceReadsThem() throws {
    let lines = (0..<5_000).map { #"{"user": "\#($0)", "token": "abcdefghijklmnop"}"# }
    let finding = try credentials(lines)
    #expect(finding?.state == .well)
    #expect(finding?.what.hasSuffix("5000 users") == true)
  }

  @Test func aBadLineIsNamedWithoutItsSecret() throws {
    let finding = try credentials([
      #"{"user": "1", "token": "abcdef"}"#, #"{"user": "2", "tokens": "hidden"}"#,
    ])
    #expect(finding?.state == .failed)
    #expect(finding?.what.contains("line 2") == true)
    #expect(finding?.what.contains("hidden") == false)
    #expect(finding?.remedy?.contains("chmod") == false)
  }

  @Test(arguments: [
    (["1"], DoctorFinding.State.well, "1 user"),
    (["1", "2"], .attention, "no line for user 2: 1 of 2 users have one"),
    (["2", "3"], .failed, "no line for user 2: 0 of 2 users have one"),
  ])
  func usersWithoutALineAreCounted(
    users: [String], state: DoctorFinding.State, what: String
  ) throws {
    let finding = try credentials(
      [#"{"user": "1", "token": "abcdef"}"#], roster: users.map { #"{"user": "\#($0)"}"# })
    #expect(finding?.state == state)
    #expect(finding?.what.hasSuffix(what) == true, "\(finding?.what ?? "")")
  }

  /// What the service would refuse, and no more.
  @Test(arguments: [
    (#"{"user": "2"}"#, nil),
    (#"{"user": "2", "timezone": "Mars/Olympus"}"#, "unknown time zone \"Mars/Olympus\""),
    ("{\"user\"\n{}", "; 2 lines are refused"),
  ])
  func rosterLinesThatAreRefusedAreNamed(line: String, what: String?) throws {
    let place = try TemporaryFolder()
    try place.write("rewards.json", "{}")
    try place.write("users.jsonl", "{\"user\": \"1\", \"timezone\": \"UTC\"}\n\(line)\n")
    let finding = try finding("users", in: place)
    #expect(finding?.state == (what == nil ? .well : .attention))
    #expect(what.map { finding?.what.hasSuffix($0) == true } ?? true, "\(finding?.what ?? "")")
    #expect(finding?.what.contains("line 2") == (what != nil))
  }

  @Test func aMissingSecretNamesTheFileOfInit() throws {
    let place = try TemporaryFolder()
    try place.write("rewards.json", "{}")
    let before = try finding("draw secret", in: place)
    #expect(before?.remedy?.hasPrefix("set REWARDS_DRAW_SECRET in the service's") == true)
    try place.write("secrets.env", "REWARDS_DRAW_SECRET=\n")
    let after = try finding("draw secret", in: place)
    let file = "\(place.path)/secrets.env"
    #expect(after?.remedy?.contains("REWARDS_DRAW_SECRET= has a value in \(file)") == true)
  }

  @Test(arguments: [(0o600, nil), (0o640, nil), (0o604, DoctorFinding.State.failed)])
  func secretsThatEverybodyMayReadAreNamed(mode: Int, state: DoctorFinding.State?) throws {
    let place = try TemporaryFolder()
    try place.write("rewards.json", "{}")
    try place.write("secrets.env", "REWARDS_DRAW_SECRET=\n", mode: mode)
    #expect(try finding("secrets", in: place)?.state == state)
  }
}
