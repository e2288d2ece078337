import CivilTime
import Evidence
import TestSupport
import Testing

/// What one route's polls prove, answer by answer.
@Suite(.offThePool) struct RouteHistoryTests {
  private static let terms = ObservingTerms(
    policy: ActivityPolicy(), lagSeconds: 10, remembersFrom: .earliest, boundary: .earliest)

  private static func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }

  private static func saw(
    _ at: Int64, _ activity: (Int64, Int64?), on route: Source = .lastStream
  ) -> Look {
    let stream = Activity.told(.stream, from: Self.at(activity.0), to: activity.1.map(Self.at))
    return Look(route: route, at: Self.at(at), outcome: .answered([stream], refused: []))
  }

  @Test func doubtsAreTold() {
    var history = RouteHistory()
    _ = history.observe(
      Self.saw(50_000, (100, 200)), by: Self.terms)
    let older = history.observe(
      Self.saw(50_100, (50, 60)), by: Self.terms)
    let future = history.observe(
      Self.saw(50_200, (60_000, nil)), by: Self.terms)
    // It happened nevertheless.
    #expect(older.seen.map(\.from) == [Self.at(50)])
    #expect(older.doubts.count == 1)
    #expect(future.doubts.count == 1)
    #expect(history.latest?.from == Self.at(100))
  }

  @Test func answerThatWasOvertakenIsNoLie() {
    var history = RouteHistory()
    _ = history.observe(
      Self.saw(50_100, (100, 200)), by: Self.terms)
    let coverage = history.coverage
    let overtaken = history.observe(
      Self.saw(50_000, (50, 60)), by: Self.terms)
    #expect(overtaken.doubts.isEmpty && overtaken.seen.map(\.from) == [Self.at(50)])
    #expect(history.coverage == coverage)
  }

  private static func listed(_ at: Int64, _ activities: [(Int64, Int64?)]) -> Look {
    let streams = activities.map {
      Activity.told(.watch, from: Self.at($0.0), to: $0.1.map(Self.at))
    }
    return Look(route: .watchedStreams, at: Self.at(at), outcome: .answered(streams, refused: []))
  }

  /// An entry that the API forgets, or ends earlier than before, ends nobody's watching.
  @Test(arguments: [[], [(Int64(100), Int64?(150))]]) func aListThatHasLostAnEntryGoesOn(
    _ rest: [(Int64, Int64?)]
  ) {
    var history = RouteHistory()
    _ = history.observe(Self.listed(1_000, [(100, 200)]), by: Self.terms)
    let coverage = history.coverage
    let next = history.observe(
      Self.listed(5_000, rest + [(3_000, 3_100)]), by: Self.terms)
    #expect(next.seen.contains { $0.from == Self.at(3_000) })
    #expect(next.doubts.count == 1 && history.coverage == coverage)
    #expect(history.failures.map(\.cause) == [.badAnswer])
    let later = history.observe(
      Self.listed(9_000, rest + [(3_000, 3_100)]), by: Self.terms)
    #expect(later.doubts.isEmpty && history.coverage.covers(from: Self.at(0), to: Self.at(8_990)))
  }

  /// An old answer says of what went on then that it began, not how long it lasted.
  @Test func whatGoesOnInAContradictionHasOnlyBegun() {
    var history = RouteHistory()
    _ = history.observe(Self.saw(50_000, (40_000, 40_100)), by: Self.terms)
    let older = history.observe(Self.saw(60_000, (30_000, nil)), by: Self.terms)
    #expect(older.seen.map(\.to) == [Self.at(30_000)])
  }

  /// Something that nobody ever ended hides what comes after it is believed no more, and nothing once it is taken for
  /// abandoned.
  @Test(arguments: [ActivityKind.stream, .watch])
  func whatNeverEndsHidesForThreeDays(kind: ActivityKind) {
    let hour: Int64 = 3_600
    var history = RouteHistory()
    for number in 1...50 {
      let look = Self.saw(Int64(number) * 2 * hour + 10, (0, nil), on: kind.source)
      let observed = history.observe(look, by: Self.terms)
      // From the thirteenth hour to the third day.
      #expect(!observed.doubts.isEmpty == (7..<36).contains(number), "\(number)")
    }
    #expect(
      history.coverage.gaps(from: Self.at(0), to: Self.at(100 * hour))
        == [Coverage.Interval(from: Self.at(12 * hour), to: Self.at(72 * hour))])
    let day = DayWindow(day: Day(number: 0), start: Self.at(48 * hour), end: Self.at(72 * hour))
    #expect(history.gaps(in: day, of: kind).map(\.cause) == ["no end"])
    let next = DayWindow(day: Day(number: 1), start: Self.at(72 * hour), end: Self.at(96 * hour))
    #expect(history.gaps(in: next, of: kind).isEmpty)
  }
}
