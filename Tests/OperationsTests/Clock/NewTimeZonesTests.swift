import CivilTime
import Foundations
import Ledger
import Operations
import Sandbox
import Scheduling
import TestSupport
import Testing

/// A newer time zone database under a running service.
@Suite(.offThePool) struct NewTimeZonesTests {
  /// 2026-11-20T12:00:00Z: nine in the evening in Tokyo.
  private static let noon = Instant(seconds: 1_795_176_000)
  private static let tokyo = "Asia/Tokyo"
  private static let old = [tokyo: "Asia/Tokyo", "Europe/Berlin": "Europe/Berlin"]

  /// A service over the database, with two users in Tokyo and one in Berlin, two days after its start.
  private func service(_ place: TestPlace, _ folder: ZoneFolder) async throws -> RunningService {
    try place.write(
      "users.jsonl",
      """
      {"user":"ann","timezone":"Asia/Tokyo"}
      {"user":"bob","timezone":"Asia/Tokyo"}
      {"user":"cyd","timezone":"Europe/Berlin"}

      """)
    try place.write("jobs/nightly.json", SteppedLife.nightly)
    let clock = VirtualClock(at: Self.noon, until: Self.noon)
    var environment = place.environment(clock)
    environment.zones = folder.zones
    environment.reloadZones = { folder.zones.reload() }
    let runtime = try await Runtime.open(place.configuration(), environment)
    let running = try await RunningService(runtime, on: clock)
    await running.pass(2 * 86_400)
    return running
  }

  private func tzdataRuns(_ place: TestPlace) throws -> [RunRecord] {
    try LedgerFacts(place.directory).runs.filter { $0.job == "tzdata" }
  }

  /// What Tokyo's clocks do from now on, and how long the running day then is in hours.
  private static let table: [(source: String, hours: [Int64])] = [
    ("Asia/Shanghai", [25, 24]), ("Australia/Brisbane", [23, 24]),
    // West of the date line: the date that was closed is not opened again.
    ("Pacific/Honolulu", [43, 24]), ("Pacific/Kiritimati", [19, 24]),
  ]

  @Test(arguments: table)
  func changesOpenDaysAndKeepsClosedOnes(source: String, hours: [Int64]) async throws {
    let place = try TestPlace()
    let folder = try ZoneFolder("2026a", Self.old)
    let running = try await service(place, folder)
    let before = try LedgerFacts(place.directory).closes
    try folder.install("2026b", [Self.tokyo: source])
    // The files alone change nothing: a day has one length from beginning to end, whoever asks.
    #expect(folder.zones.version == "2026a")
    running.signals.reload()
    await running.pass(60)
    #expect(folder.zones.version == "2026b")

    let runs = try tzdataRuns(place)
    #expect(runs.map(\.outcome) == ["done"])
    #expect(runs.map(\.reason) == ["2026a was replaced by 2026b"])
    #expect(runs.first?.counts.first == RunCount(name: "users", value: 2))
    #expect(runs.first?.counts.last.map { $0.name == "days" && $0.value > 0 } == true)
    let told = place.log.filter { $0.contains("a day's window has changed") }
    #expect(Int64(told.count) == runs.first?.counts.last?.value)
    #expect(told.allSatisfy { $0.contains("Asia/Tokyo") && $0.contains("users=2") })
    #expect(told.first?.contains("2026-11-22") == true)

    await running.pass(3 * 86_400)
    await running.stop()
    let after = try LedgerFacts(place.directory)
    let windows = try #require(after.closes[Self.tokyo])
    #expect(windows.starts(with: before[Self.tokyo] ?? []))
    #expect(zip(windows, windows.dropFirst()).allSatisfy { $0.end == $1.start })
    #expect(zip(windows, windows.dropFirst()).allSatisfy { $0.day < $1.day })
    let lengths = windows.dropFirst(before[Self.tokyo]?.count ?? 0)
      .map { $0.end.seconds(since: $0.start) / 3_600 }
    #expect(lengths.starts(with: hours), "\(windows)")
    let berlin = try #require(after.closes["Europe/Berlin"])
    #expect(berlin.allSatisfy { $0.end.seconds(since: $0.start) == 86_400 })
    // Each close names the release by which it was made.
    let versions = after.records.compactMap { record -> String? in
      if case .close(let close) = record.body, close.zone == Self.tokyo {
        close.tzdata
      } else {
        nil
      }
    }
    let closed = before[Self.tokyo]?.count ?? 0
    #expect(closed == 2)
    #expect(versions.prefix(closed).allSatisfy { $0 == "2026a" })
    #expect(versions.dropFirst(closed).allSatisfy { $0 == "2026b" })
  }

  @Test func theSameDatabaseChangesNothing() async throws {
    let place = try TestPlace()
    let folder = try ZoneFolder("2026a", Self.old)
    let running = try await service(place, folder)
    running.signals.reload()
    await running.pass(60)
    let seq = running.seq
    running.signals.reload()
    await running.pass(60)
    #expect(running.seq == seq)
    await running.stop()
    #expect(try tzdataRuns(place) == [])
  }

  /// A release that touches nobody's open days is recorded, and nobody is told of days.
  @Test func aReleaseForOthersIsRecordedAndChangesNoDay() async throws {
    let place = try TestPlace()
    let folder = try ZoneFolder("2026a", Self.old)
    let running = try await service(place, folder)
    try folder.install("2026b", ["America/Lima": "America/Bogota"])
    running.signals.reload()
    await running.pass(60)
    await running.stop()
    #expect(try tzdataRuns(place).map { $0.counts.map(\.value) } == [[0, 0]])
    #expect(!place.log.contains { $0.contains("a day's window has changed") })
  }

  /// Nobody asks for it: the service looks by itself.
  @Test func isNoticedWithoutASignal() async throws {
    let place = try TestPlace()
    let folder = try ZoneFolder("2026a", Self.old)
    let running = try await service(place, folder)
    try folder.install("2026b", [Self.tokyo: "Asia/Shanghai"])
    await running.pass(86_400)
    await running.stop()
    #expect(try tzdataRuns(place).map(\.reason) == ["2026a was replaced by 2026b"])
  }

  /// A vendor mends a release without a new name, or the database tells no version.
  @Test func otherFilesUnderTheSameNameAreNoticed() async throws {
    let place = try TestPlace()
    let folder = try ZoneFolder("2026a", Self.old)
    let running = try await service(place, folder)
    try folder.install("2026a", [Self.tokyo: "Asia/Shanghai"])
    running.signals.reload()
    await running.pass(60)
    await running.stop()
    let runs = try tzdataRuns(place)
    #expect(runs.map(\.reason) == ["the files of 2026a were replaced"])
    #expect(runs.first?.counts.first == RunCount(name: "users", value: 2))
    #expect(place.log.contains { $0.contains("a day's window has changed") })
  }
}
