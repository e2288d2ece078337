import TestSupport
import Testing

/// The house rules see what they should see, and nothing else.
@Suite(.offThePool) struct CodeStripperTests {
  @Test(arguments: [
    ("a // b\nc", "a \nc"),
    ("a /* b /* c\n */ d */ e", "a \n e"),
    ("x = \"print(1)\"", "x = \"\""),
    ("x = \"a\\\"b\" + y", "x = \"\" + y"),
    ("x = \"a \\(f(\"b\", (1))) c\" + y", "x = \"\" + y"),
    ("x = #\"a\"b\\(c)\"# + y", "x = \"\" + y"),
    ("x = #\"a\\#(b\"c\")\"# + y", "x = \"\" + y"),
    ("x = \"\"\"\n  a \"b\" // c\n  \"\"\"\ny", "x = \"\n\n\"\ny"),
    ("\"https://a\" + b", "\"\" + b"),
  ])
  func leavesOnlyCode(text: String, code: String) {
    var stripper = CodeStripper(text)
    #expect(stripper.strip() == code)
  }

  @Test func findsTestsAndLostTests() {
    let file = SourceFile(
      path: "Tests/X/X.swift",
      text: """
        @Test(arguments: [1].map { ($0) }) func a(_ x: Int) { #expect(x == 1) }
        @Test func b() async throws {
          if true { try #require(true) }
        }
        func c() { #expect(true) }
        private func d() -> Int { 1 }
        func e() { /* #expect */ }
        """)
    let found = TestFunctions(file).all
    #expect(found.map(\.name) == ["a", "b", "c", "d", "e"])
    #expect(found.map(\.isTest) == [true, true, false, false, false])
    #expect(found.map(\.hasExpectation) == [true, true, true, false, false])
  }
}
