import CivilTime
import Foundation
import Foundations
import TestSupport
import Testing

/// Zones in real directories.
@Suite(.offThePool) struct SystemZonesTests {
  /// Runs `body` with a directory that is gone afterwards.
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "zones-\(UUID().uuidString)/zoneinfo"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path + "/..") }
    try body(path)
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test(arguments: [
    "", "/etc/passwd", "../zoneinfo/UTC", "Asia/../UTC", "Asia/./Tokyo", "/Asia/Tokyo",
    "Asia//Tokyo", "Asia/Tokyo/", "Asia/Tokyo\0", "Asia Tokyo", "Ásia/Tokyo", "tzdata.zi",
    "posix/Asia/Tokyo", "right/Asia/Tokyo", "localtime", "posixrules",
    String(repeating: "A", count: 101),
  ])
  func namesThatAreNoneAreRefused(name: String) {
    #expect(throws: ZoneError.self) { try TestTables.zones.zone(named: name) }
    #expect(throws: ZoneError.self) { try TestTables.system.zone(named: name) }
  }

  @Test func unknownNamesAreRefusedWithAHint() {
    let error = #expect(throws: ZoneError.self) { try TestTables.zones.zone(named: "Asia/Tokio") }
    #expect(error?.description.contains("did you mean \"Asia/Tokyo\"?") == true)
    #expect(throws: ZoneError.self) { try TestTables.zones.zone(named: "asia/tokyo") }
    #expect(throws: ZoneError.self) { try TestTables.zones.zone(named: "Asia") }
  }

  @Test func otherFilesAreRefused() throws {
    try withDirectory { path in
      try write(Array("not a zone".utf8), to: path + "/Text")
      try write([], to: path + "/Empty")
      try #require(mkfifo(path + "/Pipe", 0o600) == 0)
      let zones = SystemZones(directory: path)
      for name in ["Text", "Empty", "Pipe", "Missing"] {
        #expect(throws: ZoneError.self) { try zones.zone(named: name) }
      }
      #expect(zones.names().isEmpty)
      #expect(SystemZones(directory: path + "/missing").names().isEmpty)
    }
  }

  @Test func versionsAreFoundInEachLayout() throws {
    try withDirectory { path in
      #expect(SystemZones(directory: path).version == "unknown")
      try write(Array("x = 1\nIANA_VERSION = \"2024a\"\n".utf8), to: path + "/../__init__.py")
      #expect(SystemZones(directory: path).version == "2024a")
      try write(Array("# version 2025b\nR A".utf8), to: path + "/tzdata.zi")
      #expect(SystemZones(directory: path).version == "2025b")
      try write(Array("2026f\n".utf8), to: path + "/+VERSION")
      #expect(SystemZones(directory: path).version == "2026f")
      try write(Array("2026f; rm\n".utf8), to: path + "/+VERSION")
      #expect(SystemZones(directory: path).version == "2025b")
    }
  }

  @Test func aNewDatabaseIsNoticedOnReload() throws {
    try withDirectory { path in
      let zones = SystemZones(directory: path)
      #expect(throws: ZoneError.self) { try zones.zone(named: "Here") }
      try write(TZifBuilder(offsets: [60]).bytes, to: path + "/Here")
      try write(Array("2026g\n".utf8), to: path + "/+VERSION")
      #expect(throws: ZoneError.self) { try zones.zone(named: "Here") }
      #expect(zones.reload())
      #expect(zones.version == "2026g")
      let zone = try zones.zone(named: "Here")
      #expect(zone.offsetSeconds(at: Instant(seconds: 0)) == 60)
      try FileManager.default.removeItem(atPath: path + "/Here")
      #expect(try zones.zone(named: "Here") === zone)
      // The same version, but not the same zones.
      #expect(zones.reload())
      #expect(throws: ZoneError.self) { try zones.zone(named: "Here") }
      #expect(!zones.reload())
    }
  }

  @Test func linksAndDeepNamesAreListed() throws {
    try withDirectory { path in
      try FileManager.default.createDirectory(
        atPath: path + "/America/Argentina", withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        atPath: path + "/posix", withIntermediateDirectories: true)
      let file = TZifBuilder().bytes
      for name in ["America/Argentina/Salta", "posix/UTC", "localtime"] {
        try write(file, to: "\(path)/\(name)")
      }
      try FileManager.default.createSymbolicLink(
        atPath: path + "/Old", withDestinationPath: "America/Argentina/Salta")
      // A circle of directories must not be walked for ever.
      try FileManager.default.createSymbolicLink(
        atPath: path + "/America/Circle", withDestinationPath: "..")
      let names = SystemZones(directory: path).names()
      #expect(names.contains("Old") && names.contains("America/Argentina/Salta"))
      #expect(!names.contains("localtime") && !names.contains { $0.hasPrefix("posix") })
    }
  }

  @Test func theSystemHasZones() {
    #expect(SystemZones(directory: "").directory == SystemZones.defaultDirectory)
    #expect(TestTables.system.version != "unknown")
    for name in ["Asia/Tokyo", "America/Argentina/Buenos_Aires", "Etc/GMT-14", "UTC"] {
      #expect(TestTables.system.names().contains(name))
    }
  }

  @Test func manyThreadsShareAZone() async throws {
    let zones = SystemZones(directory: TestTables.zones.directory)
    let found = try await withThrowingTaskGroup(of: Zone.self) { group in
      for _ in 0..<64 { group.addTask { try zones.zone(named: "Asia/Tokyo") } }
      return try await group.reduce(into: [Zone]()) { $0.append($1) }
    }
    #expect(found.count == 64)
    #expect(
      try found.allSatisfy { $0.name == "Asia/Tokyo" }
        && zones.zone(named: "Asia/Tokyo") === zones.zone(named: "Asia/Tokyo"))
  }
}
