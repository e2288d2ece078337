import Configuration
import Foundations
import Glibc
import LedgerStore
import Operations
import TestSupport
import Testing

/// What `doctor` says of the group that commands a service.
@Suite(.offThePool) struct GroupCheckupTests {
  /// A group of this process.
  private static let own = getgrgid(getgid()).map { String(cString: $0.pointee.gr_name) }

  private func finding(
    _ place: TemporaryFolder, group: String?, secrets: [String] = [], mode: Int = 0o644
  ) throws -> DoctorFinding? {
    let control = group.map { "{\"group\": \"\($0)\"}" } ?? "{}"
    try place.write("rewards.json", "{\"data\": \"./data\", \"control\": \(control)}", mode: mode)
    let configuration = try ConfigurationLoader(
      environment: [:], zones: SystemZones(directory: nil)
    ).load(file: "\(place.path)/rewards.json")
    return GroupCheckup(configuration, secrets: secrets).finding()
  }

  /// Makes a data folder that the group of this process shares.
  private func makeData(in place: TemporaryFolder) throws -> DataDirectory {
    let data = DataDirectory("\(place.path)/data")
    try data.create()
    for folder in [data.path, data.ledger, data.relay, data.state, data.looks] {
      _ = chown(folder, uid_t.max, getgid())
      _ = chmod(folder, 0o2750)
    }
    return data
  }

  @Test func withoutAGroupThereIsNothingToSay() throws {
    #expect(try finding(TemporaryFolder(), group: nil) == nil)
  }

  @Test func aGroupThatIsNotThereIsMadeByTheRemedy() throws {
    let found = try finding(TemporaryFolder(), group: "no-such-group")
    #expect(found?.state == .failed && found?.what.contains("no-such-group") == true)
    #expect(found?.remedy?.contains("groupadd --system no-such-group") == true)
  }

  /// Whether it lists members depends on the machine.
  @Test func aSharedFolderIsWell() throws {
    let place = try TemporaryFolder()
    #expect(chmod(place.path, 0o755) == 0)
    let group = try #require(Self.own)
    #expect(try finding(place, group: group)?.state != .failed)
    _ = try makeData(in: place)
    let found = try finding(place, group: group)
    #expect(found?.state != .failed, "\(found?.what ?? "nothing")")
  }

  @Test(arguments: [("", UInt32(0o2700)), ("/ledger", 0o2700), ("/ledger/000001.jsonl", 0o600)])
  func whatMembersCannotReadIsNamed(name: String, mode: UInt32) throws {
    let place = try TemporaryFolder()
    #expect(chmod(place.path, 0o755) == 0)
    let data = try makeData(in: place)
    let file = try place.write("data/ledger/000001.jsonl", "{}", mode: 0o640)
    _ = chown(file, uid_t.max, getgid())
    #expect(chmod("\(data.path)\(name)", mode) == 0)
    let group = try #require(Self.own)
    let found = try finding(place, group: group)
    #expect(found?.state == .failed)
    #expect(found?.what.contains("cannot read \(data.path)\(name),") == true)
    #expect(found?.remedy?.contains("chgrp -R ") == true)
  }

  @Test func theConfigurationIsReadByMembers() throws {
    let place = try TemporaryFolder()
    #expect(chmod(place.path, 0o755) == 0)
    let group = try #require(Self.own)
    let found = try finding(place, group: group, mode: 0o600)
    #expect(found?.remedy == "run chmod a+r \(place.path)/rewards.json")
    #expect(chmod(place.path, 0o700) == 0)
    let closed = try finding(place, group: group)
    #expect(closed?.remedy?.hasPrefix("run chmod a+x ") == true)
  }

  @Test(arguments: [(0o640, true), (0o600, false)])
  func secretsAreReadByNoMember(mode: Int, isNamed: Bool) throws {
    let place = try TemporaryFolder()
    #expect(chmod(place.path, 0o755) == 0)
    let secret = try place.write("secrets.env", "A=b", mode: mode)
    _ = chown(secret, uid_t.max, getgid())
    let group = try #require(Self.own)
    let found = try finding(place, group: group, secrets: [secret])
    #expect(found?.what.contains("may read the secrets in \(secret)") == isNamed)
  }
}
