import CivilTime
import TestSupport
import Testing

@testable import rewards

@Suite(.offThePool) struct OutputTests {
  @Test func columnsAreAligned() {
    var table = TextTable(["name", "points"], [.left, .right])
    table.add(["a", "5"])
    table.add(["längst", "100"])
    #expect(table.text == "name    points\na            5\nlängst     100\n")
  }

  @Test func progressTellsRateAndTimeLeft() {
    var meter = ProgressMeter("Judging", total: 400, start: Instant(seconds: 100))
    #expect(meter.line(done: 0, now: Instant(seconds: 100)) == "Judging [\(bar(0))] 0 %")
    #expect(
      meter.line(done: 100, now: Instant(seconds: 125))
        == "Judging [\(bar(6))] 25 %, 4/s, 1:15 left")
    #expect(meter.line(done: 101, now: Instant(seconds: 125, nanoseconds: 50_000_000)) == nil)
    #expect(
      meter.line(done: 400, now: Instant(seconds: 125, nanoseconds: 60_000_000))?
        .hasPrefix("Judging [\(bar(24))] 100 %") == true)
  }

  @Test func progressOfNothingIsNoDivisionByZero() {
    var meter = ProgressMeter("Judging", total: 0, start: Instant(seconds: 0))
    #expect(meter.line(done: 0, now: Instant(seconds: 0)) == "Judging [\(bar(0))] 0 %")
  }

  @Test func colourIsOnlyForTerminals() {
    #expect(TextStyle(isColoured: false).bad("x") == "x")
    #expect(TextStyle(isColoured: true).bad("x") == "\u{1B}[31mx\u{1B}[0m")
  }

  private func bar(_ filled: Int) -> String {
    String(repeating: "#", count: filled) + String(repeating: "-", count: 24 - filled)
  }
}
