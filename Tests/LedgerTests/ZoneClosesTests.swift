import CivilTime
import Ledger
import TestSupport
import Testing

/// How far a zone is closed.
@Suite(.offThePool) struct ZoneClosesTests {
  private static func window(_ number: Int32) -> DayWindow {
    let start = Instant(seconds: Int64(number) * 86_400)
    return DayWindow(day: Day(number: number), start: start, end: start.adding(seconds: 86_400))
  }

  /// Who was behind is closed day by day, in closes of their own.
  @Test func aCloseOfAnEarlierDaySetsNothingBack() {
    var closes = ZoneCloses(last: Self.window(10))
    closes.add(Self.window(10), streaks: 4, broken: 1)
    closes.add(Self.window(7), streaks: 1, broken: 0)
    #expect(closes.last == Self.window(10))
    closes.add(Self.window(11), streaks: 4, broken: 0)
    #expect(closes.last == Self.window(11))
    #expect(closes.shares.map(\.streaks) == [4, 1, 4])
  }
}
