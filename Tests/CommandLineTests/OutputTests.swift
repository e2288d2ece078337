import CivilTime
import TestSupport
import Testing

@testable import rewards

@Suite(.offThePool) struct OutputTests {
  @Test func columnsAreAligned() {
    var table = TextTable(["name", "points"], [.left, .right])
    table.add(["a", "5"])
    table.add(["längst", "100"])
    #expect(table.text(.plain) == "name    points\na            5\nlängst     100\n")
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

  /// Marks and colours show how something stands, at a terminal alone.
  @Test func statesAreMarked() {
    var table = TextTable(["SINK", "STATE", "DEAD"], [.left, .left, .right])
    table.add(["a", "on", "0"])
    table.add(["b", "paused", "12"])
    #expect(table.text(.plain) == "SINK  STATE   DEAD\na     on         0\nb     paused    12\n")
    var style = TextStyle(isColoured: false, isTerminal: true)
    #expect(
      table.text(style)
        == "SINK  STATE     DEAD\na     ✓ on         0\nb     ! paused  ✗ 12\n")
    style = TextStyle(isColoured: true, isTerminal: true)
    #expect(
      table.text(style).hasSuffix("b     \u{1B}[33m! paused\u{1B}[0m  \u{1B}[31m✗ 12\u{1B}[0m\n"))
  }

  /// Prose wraps within its column, and what has no room continues on an indented line; nothing is cut.
  @Test(arguments: [
    (
      80,
      """
      KEY    WHY                   REASON
      an id  a cause that is long  another that is longer than all the others
      b                            -

      """
    ),
    (
      53,
      """
      KEY    WHY                   REASON
      an id  a cause that is long  another that is longer
                                   than all the others

      """
    ),
    (
      40,
      """
      KEY    WHY
          REASON
      an id  a cause that is long
          another that is longer than all the
          others

      """
    ),
  ])
  func linesFitTheTerminal(columns: Int, expected: String) {
    var table = TextTable(["KEY", "WHY", "REASON"], [.left, .prose, .prose])
    table.add(["an id", "a cause that is long", "another that is longer than all the others"])
    table.add(["b", "", "-"])
    let text = table.text(TextStyle(isColoured: false, isTerminal: true, columns: columns))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns })
    #expect(text.hasPrefix(expected), "\(text)")
  }

  /// Dates, keys and amounts stay whole, whatever the terminal's width.
  @Test func datesAndKeysStayWhole() {
    var table = TextTable(["DAY", "KEY", "POINTS", "WHY"], [.left, .left, .right, .prose])
    table.add(["2026-11-20", "ann/2026-11-20/login", "25", "the first login of a new streak"])
    table.add(["2026-11-21", "ann/2026-11-21/login", "25", "-"])
    let text = table.text(TextStyle(isColoured: false, isTerminal: true, columns: 55))
    #expect(
      text == """
        DAY         KEY                   POINTS
            WHY
        2026-11-20  ann/2026-11-20/login      25
            the first login of a new streak
        2026-11-21  ann/2026-11-21/login      25

        """)
  }

  @Test func helpFitsTheTerminal() {
    for spec in CommandList.all.map({ $0.spec }) {
      let lines = HelpText(width: 60).text(of: spec, inDatabase: true).split(separator: "\n")
      let commands = spec.examples.map { "  \($0.line)" } + ["usage: \(spec.usage)"]
      let wide = lines.filter { $0.count > 60 && !commands.contains(String($0)) }
      #expect(wide == [], "\(spec.name)")
    }
    for page in ReferencePage.allCases {
      let lines = MarkdownText.text(of: page.page, width: 60).split(separator: "\n")
      #expect(lines.filter { $0.count > 60 && !$0.hasPrefix("    ") } == [], "\(page.name)")
    }
  }

  @Test(arguments: [
    ([:], nil), (["TERM": "dumb"], nil), (["TERM": "xterm", "PAGER": " "], nil),
    (["TERM": "xterm"], "command -v less >/dev/null && less -FRX"),
    (["TERM": "xterm", "PAGER": "more -s"], "more -s"), (["TERM": "xterm", "PAGER": ""], nil),
    (["TERM": "xterm", "PAGER": "more", "REWARDS_PAGER": "cat"], nil),
  ])
  func thePagerIsWhatTheReaderWants(variables: [String: String], line: String?) {
    #expect(PagedSink.line(variables) == line)
  }

  /// A pager can show its variables and start programs, so it gets no secret, and starts none behind sudo.
  @Test func aPagerGetsWhatItNeeds() {
    let own = ["LC_ALL": "C", "LESSHISTFILE": "-", "LESS": "R", "PATH": "/bin"]
    let all = own.merging(["CHEER_API_TOKEN": "x", "PAGER": "less"]) { first, _ in first }
    #expect(PagedSink.environment(all) == own.merging(["LV": "-c"]) { first, _ in first })
    #expect(PagedSink.environment(["SUDO_UID": "1000", "LESSSECURE": "0"])["LESSSECURE"] == "1")
  }

  private func bar(_ filled: Int) -> String {
    String(repeating: "#", count: filled) + String(repeating: "-", count: 24 - filled)
  }
}
