import CivilTime
import Foundations
import TestSupport
import Testing

/// Schedules against a slow oracle that looks at every minute.
@Suite(.offThePool) struct ScheduleOracleTests {
  /// What a schedule names, as sets.
  private struct Oracle {
    let minutes: Set<Int>
    let hours: Set<Int>
    let followsElapsedTime: Bool

    func names(_ local: LocalDateTime) -> Bool {
      local.secondOfDay % 60 == 0 && minutes.contains(Int(local.secondOfDay) / 60 % 60)
        && hours.contains(Int(local.secondOfDay) / 3_600)
    }

    /// The first fire after `instant`, found by looking at each minute of the days around.
    func next(after instant: Instant, in zone: Zone) -> Instant? {
      if followsElapsedTime {
        let start = (instant.seconds / 60 + 1) * 60
        return stride(from: start, to: start + 3 * 86_400, by: 60).lazy
          .map { Instant(seconds: $0) }.first { names(zone.localDateTime(at: $0)) }
      }
      let today = zone.localDateTime(at: instant).day
      var best: Instant?
      for day in -2...3 {
        for minute in 0..<1_440 {
          let local = LocalDateTime(
            day: today.adding(days: Int32(day)), secondOfDay: Int32(minute) * 60)
          guard names(local) else { continue }
          let fire =
            switch zone.resolve(local) {
            case .unique(let instant): instant
            case .gap(let after, _): after
            case .overlap(let first, _): first
            }
          if fire > instant, best.map({ fire < $0 }) ?? true { best = fire }
        }
      }
      return best
    }
  }

  @Test(arguments: [
    "America/New_York", "Africa/Cairo", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe",
    "Antarctica/Troll", "Pacific/Apia", "America/St_Johns", "America/Santiago",
  ])
  func firesAreThoseThatLookingAtEveryMinuteFinds(name: String) throws {
    let seed: UInt64 = 0x5EED_3000
    var random = SplitMix64(seed: seed)
    let zone = try TestTables.zone(name)
    for _ in 0..<25 {
      let minutes = Set((0..<3).map { _ in Int.random(in: 0...59, using: &random) })
      let hours = Set((0..<5).map { _ in Int.random(in: 0...23, using: &random) } + [0])
      let isElapsed = Bool.random(using: &random)
      let list = (isElapsed ? ["*/60"] : []) + minutes.sorted().map(String.init)
      let expression =
        "\(list.joined(separator: ",")) \(hours.sorted().map(String.init).joined(separator: ",")) * * *"
      let oracle = Oracle(
        minutes: isElapsed ? minutes.union([0]) : minutes, hours: hours,
        followsElapsedTime: isElapsed)
      let schedule = try Schedule(expression)
      #expect(schedule.followsElapsedTime == isElapsed)
      let change = try #require(Self.changeOfOffset(in: zone, &random))
      var at = change.adding(
        seconds: Int64.random(in: -90_000...3_600, using: &random))
      for _ in 0..<4 {
        let next = schedule.next(after: at, in: zone)
        #expect(next == oracle.next(after: at, in: zone), "\(expression) \(at), seed \(seed)")
        at = next ?? at.adding(seconds: 86_400)
      }
    }
  }

  /// An instant close to a change of offset between 2006 and 2026, on a whole hour.
  private static func changeOfOffset(in zone: Zone, _ random: inout SplitMix64) -> Instant? {
    for _ in 0..<100_000 {
      let hour = Int64.random(in: 315_600...490_000, using: &random) * 3_600
      let instant = Instant(seconds: hour)
      if zone.offsetSeconds(at: instant) != zone.offsetSeconds(at: instant.adding(seconds: -86_400))
      {
        return instant
      }
    }
    return nil
  }
}
