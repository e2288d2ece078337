import CivilTime
import Evidence
import TestSupport
import Testing

/// What polls of a route that reports only a number prove, answer by answer.
@Suite(.offThePool) struct CountReadingTests {
  /// Two days of a thousand seconds.
  private static let windows = [0, 1].map { number in
    DayWindow(
      day: Day(year: 2026, month: 11, day: 20 + number) ?? Day(number: 0),
      start: at(Int64(number) * 1_000), end: at(Int64(number + 1) * 1_000))
  }

  private static func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }

  /// A row: polls `(second, number or nil)`, the seconds of the follows that are told, the covered stretches, and
  /// doubts.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let looks: [(Int64, Int64?)]
    var told: [Int64] = []
    var covered: [(Int64, Int64)] = []
    var doubts = 0
  }

  private static let rows = [
    Row(testDescription: "the first look proves nothing", looks: [(100, 5)]),
    Row(testDescription: "the same twice", looks: [(100, 5), (200, 5)], covered: [(90, 190)]),
    Row(testDescription: "a rise within a day", looks: [(100, 5), (200, 6)], told: [201]),
    Row(testDescription: "a rise over the end of a day", looks: [(900, 5), (1_100, 6)]),
    Row(
      testDescription: "a rise that the lag lets begin the day before",
      looks: [(1_005, 5), (1_100, 6)]),
    Row(
      testDescription: "a rise that is answered after the end of the day",
      looks: [(900, 5), (999, 6)]),
    Row(testDescription: "a rise by many is one", looks: [(100, 5), (200, 9)], told: [201]),
    Row(testDescription: "a fall is not believed at once", looks: [(100, 5), (200, 4), (300, 5)]),
    Row(
      testDescription: "a fall that is told twice",
      looks: [(100, 5), (200, 4), (300, 4), (400, 5)],
      told: [401]),
    Row(
      testDescription: "a rise over all that was believed", looks: [(100, 5), (200, 4), (300, 6)],
      told: [301]),
    Row(
      testDescription: "nothing, and nothing again", looks: [(100, nil), (200, nil)],
      covered: [(90, 190)]),
    Row(testDescription: "a number after nothing may be old", looks: [(100, nil), (200, 5)]),
    Row(testDescription: "zero is a number", looks: [(100, 0), (200, 1)], told: [201]),
    Row(
      testDescription: "nothing after a number is a lie", looks: [(100, 5), (200, nil), (300, 5)],
      covered: [(90, 290)], doubts: 1),
    Row(
      testDescription: "an answer that was overtaken", looks: [(200, 6), (100, 5), (300, 6)],
      covered: [(190, 290)]),
  ]

  @Test(arguments: rows) func looks(_ row: Row) {
    var history = RouteHistory()
    var told: [Activity] = []
    var doubts = 0
    for (second, value) in row.looks {
      let observed = history.observe(
        value, at: Self.at(second), by: Self.at(second + 1), of: .follow,
        lagSeconds: 10, in: Self.windows)
      told += observed.seen
      doubts += observed.doubts.count
    }
    #expect(told.map(\.from) == row.told.map(Self.at))
    #expect(told.allSatisfy { $0.kind == .follow && $0.from == $0.to && !$0.isOpen })
    #expect(
      history.coverage.intervals
        == row.covered.map { Coverage.Interval(from: Self.at($0.0), to: Self.at($0.1)) })
    #expect(doubts == row.doubts)
    #expect(Int(history.looks) == row.looks.count)
  }

  @Test func aReadingAfterTheClockIsVoid() {
    var history = RouteHistory()
    for second: Int64 in [100, 200] {
      _ = history.observe(
        5, at: Self.at(second), by: Self.at(second), of: .follow,
        lagSeconds: 10, in: Self.windows)
    }
    history.void(after: Self.at(150))
    #expect(history.reading == nil)
    #expect(history.coverage == Coverage())
  }
}
