import CivilTime
import Evidence
import TestSupport
import Testing

/// What one route's looks prove, answer by answer.
@Suite(.offThePool) struct RouteHistoryTests {
  private static let terms = ObservingTerms(
    policy: ActivityPolicy(), lagSeconds: 10, remembersFrom: .earliest, boundary: .earliest)

  private static func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }

  private static func saw(_ at: Int64, _ activity: (Int64, Int64?)) -> Look {
    let stream = Activity.told(.stream, from: Self.at(activity.0), to: activity.1.map(Self.at))
    return Look(at: Self.at(at), outcome: .answered([stream], refused: []))
  }

  @Test func doubtsAreTold() {
    var history = RouteHistory()
    _ = history.observe(
      Self.saw(50_000, (100, 200)), kind: .stream, by: Self.terms)
    let older = history.observe(
      Self.saw(50_100, (50, 60)), kind: .stream, by: Self.terms)
    let future = history.observe(
      Self.saw(50_200, (60_000, nil)), kind: .stream, by: Self.terms)
    #expect(older.seen.isEmpty)
    #expect(older.doubts.count == 1)
    #expect(future.doubts.count == 1)
    #expect(history.latest?.from == Self.at(100))
  }

  @Test func answerThatWasOvertakenIsNoLie() {
    var history = RouteHistory()
    _ = history.observe(
      Self.saw(50_100, (100, 200)), kind: .stream, by: Self.terms)
    let coverage = history.coverage
    let overtaken = history.observe(
      Self.saw(50_000, (50, 60)), kind: .stream, by: Self.terms)
    #expect(overtaken.doubts.isEmpty && overtaken.seen.isEmpty)
    #expect(history.coverage == coverage)
  }
}
