import StrictJSON
import TestSupport
import Testing

/// Text from outside on its way to people.
@Suite(.offThePool) struct ShownTextTests {
  private static let table: [(text: String, shown: String)] = [
    ("plain", "plain"), ("日本 ü\n\tx", "日本 ü\n\tx"),
    ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"), ("\u{1B}]0;title\u{7}", "\\u{1B}]0;title\\u{7}"),
    ("a\rb\u{8}\u{0}\u{7F}", "a\\u{D}b\\u{8}\\u{0}\\u{7F}"), ("\u{9B}31m", "\\u{9B}31m"),
    ("abc\u{202E}gpj.exe", "abc\\u{202E}gpj.exe"), ("a\u{2028}b\u{2066}", "a\\u{2028}b\\u{2066}"),
    ("own \u{1B}[32mwell\u{1B}[0m", "own \u{1B}[32mwell\u{1B}[0m"),
    ("\u{1B}[32", "\\u{1B}[32"), ("\u{1B}[33m", "\\u{1B}[33m"),
  ]

  @Test(arguments: table.indices) func nothingSteersATerminal(row: Int) {
    let (text, shown) = Self.table[row]
    #expect(ShownText.plain(text, keeping: ["\u{1B}[32m", "\u{1B}[0m"]) == shown)
  }

  @Test func longTextsKeepTheirEnds() {
    let long = "begin" + String(repeating: "x", count: 100_000) + "end"
    let short = ShownText.short(long, limit: 100)
    #expect(short.hasPrefix("beginxxx") && short.hasSuffix("xxxend"))
    #expect(short.contains("(99908 more characters)"))
    #expect(short.count < 140)
    #expect(ShownText.short("short", limit: 5) == "short")
  }
}
