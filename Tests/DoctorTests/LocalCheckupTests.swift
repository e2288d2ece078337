import Configuration
import Foundations
import Operations
import TestSupport
import Testing

/// What `doctor` says of files on this machine.
@Suite(.offThePool) struct LocalCheckupTests {
  private func credentials(_ lines: [String]) throws -> DoctorFinding? {
    let place = try TemporaryFolder()
    try place.write("rewards.json", #"{"api": {"credentials": "./credentials.jsonl"}}"#)
    try place.write("credentials.jsonl", lines.joined(separator: "\n"))
    let zones = SystemZones(directory: nil)
    let configuration = try ConfigurationLoader(environment: [:], zones: zones)
      .load(file: "\(place.path)/rewards.json")
    return LocalCheckup(
      configuration, environment: [:], zones: zones, now: SystemClock().now()
    ).findings().first { $0.name == "API credentials" }
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
  }
}
