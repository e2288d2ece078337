import CivilTime
import Foundations
import TestSupport
import Testing

@testable import Operations

/// The proof of zones finds what is wrong: errors are planted in the windows that it walks.
@Suite(.offThePool) struct ZoneProofTests {
  private static let apia = "Pacific/Apia"

  /// The proof of Samoa's 2011, when 30 December did not exist, with `lie` told of each date.
  private func prove(
    _ lie: @escaping @Sendable (Day, DayWindow?) -> DayWindow?
  ) throws -> ZoneProof.Result {
    let zone = try TestPlace.zones.zone(named: Self.apia)
    var proof = ZoneProof(zone: zone, years: 2011...2011)
    proof.windowOfDay = { lie($0, zone.window(of: $0)) }
    return proof.run()
  }

  @Test func findsNothingInTheTruth() throws {
    let result = try prove { $1 }
    #expect(result.findings == [])
    #expect([result.days, result.skipped, result.instants] == [364, 1, 3 * 364])
  }

  private static let march = Day("2011-03-10")
  private static let lost = Day("2011-12-30")

  private static func moved(_ window: DayWindow?, start: Int64, end: Int64) -> DayWindow? {
    window.map {
      DayWindow(
        day: $0.day, start: $0.start.adding(seconds: start), end: $0.end.adding(seconds: end))
    }
  }

  private static let lies:
    [(what: String, lie: @Sendable (Day, DayWindow?) -> DayWindow?, finding: String)] = [
      ("a date is left out", { $0 == march ? nil : $1 }, "has no window although clocks show it"),
      (
        "a date that did not exist has a window",
        { day, window in
          day == lost
            ? DayWindow(day: day, start: Instant(seconds: 0), end: Instant(seconds: 86_400))
            : window
        }, "has a window although no clock shows it"
      ),
      ("a gap", { $0 == march ? moved($1, start: 0, end: -1) : $1 }, "2011-03-10 ends"),
      ("an overlap", { $0 == march ? moved($1, start: 0, end: 1) : $1 }, "2011-03-10 ends"),
      (
        "a late start", { $0 == march ? moved($1, start: 1, end: 0) : $1 },
        "2011-03-10 is not what follows 2011-03-09"
      ),
      (
        "an empty day", { $0 == march ? moved($1, start: 86_400, end: 0) : $1 },
        "ends before it starts"
      ),
      (
        "all dates an hour late", { moved($1, start: 3_600, end: 3_600) }, "is not found in"
      ),
      (
        "all dates an hour early", { moved($1, start: -3_600, end: -3_600) },
        "when clocks show another date"
      ),
    ]

  @Test(arguments: lies.indices) func findsAPlantedError(index: Int) throws {
    let (what, lie, finding) = Self.lies[index]
    let result = try prove(lie)
    #expect(result.findings.contains { $0.contains(finding) }, "\(what): \(result.findings)")
    #expect(result.findings.allSatisfy { $0.hasPrefix("Pacific/Apia: ") })
    #expect(result.findings.count <= 20)
  }

  /// Zones that have other rules each time somebody asks.
  private final class FickleZones: ZoneSource {
    let version = "fickle"
    private let asked = Lock(0)
    private let every: Int

    init(every: Int) { self.every = every }

    func zone(named name: String) throws(ZoneError) -> Zone {
      let count = asked.withLock { asked in
        asked += 1
        return asked
      }
      return try TestPlace.zones.zone(
        named: count % every == 0 ? "Pacific/Kiritimati" : name)
    }
  }

  private func move(among zones: any ZoneSource, users: Int) throws -> ZoneProof.Result {
    let names = ["Asia/Tokyo", "America/New_York", "Europe/Berlin", "Pacific/Apia"]
    let mover = ZoneChangeProof(zones: zones, names: names, years: 2011...2030)
    var result = ZoneProof(
      zone: try TestPlace.zones.zone(named: "Asia/Tokyo"), years: 2026...2026
    ).run()
    for user in 0..<users { mover.run(home: "Asia/Tokyo", seed: UInt64(user), into: &result) }
    return result
  }

  @Test func usersWhoMoveAreProved() throws {
    let result = try move(among: TestPlace.zones, users: 50)
    #expect(result.findings == [])
    #expect(result.userDays > 50 * 330)
  }

  @Test func rulesThatChangeUnderAUserAreFound() throws {
    let result = try move(among: FickleZones(every: 17), users: 3)
    #expect(result.findings.contains { $0.contains("does not end with its zone") })
    #expect(result.findings.count <= 20)
  }

  @Test func allZonesOfTheDatabaseAreProvedInParallel() async throws {
    let names = [Self.apia, "Asia/Tokyo", "Africa/Cairo"]
    let done = Lock<[Int]>([])
    let results = try await ZoneProofs(zones: TestPlace.zones, years: 2010...2012).run(
      names, changes: 1
    ) { count in done.withLock { $0.append(count) } }
    #expect(results.map(\.zone) == names)
    #expect(results.map(\.skipped) == [1, 0, 0])
    #expect(results.allSatisfy { $0.findings.isEmpty && $0.userDays > 300 })
    #expect(done.withLock { $0.sorted() } == [1, 2, 3])
    await #expect(throws: ZoneError.self) {
      try await ZoneProofs(zones: TestPlace.zones, years: 2010...2012).run(
        names + ["Mars/Olympus"], changes: 0
      ) { _ in }
    }
  }
}
