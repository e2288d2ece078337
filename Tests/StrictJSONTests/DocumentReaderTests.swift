import StrictJSON
import TestSupport
import Testing

@Suite(.offThePool) struct DocumentReaderTests {
  @Test func everyMistakeIsNamedWithItsPathAndLine() throws {
    let text = """
      {
        // a comment
        "name": 7,
        "limits": {"points": -1, "pionts": 2},
        "list": ["a", 3]
      }
      """
    let reader = DocumentReader(Array(text.utf8), allowingComments: true)
    let root = try #require(reader.rootSection())
    #expect(root.string("name") == nil)
    let limits = try #require(root.section("limits"))
    #expect(limits.int("points", in: 0...9) == nil)
    limits.finish()
    #expect(root.strings("list") == nil)
    root.finish()
    #expect(
      reader.problems.map(\.description) == [
        "line 3, column 11: name: expected a text in quotes",
        "line 4, column 24: limits.points: expected a whole number from 0 to 9",
        "line 4, column 29: limits.pionts: unknown key; did you mean \"points\"?",
        "line 5, column 17: list[1]: expected a text in quotes",
      ])
  }

  @Test func aTextThatIsNoJSONIsOneProblem() {
    let reader = DocumentReader(Array("{\n\"a\": }".utf8), allowingComments: false)
    #expect(reader.rootSection() == nil)
    #expect(reader.problems.map(\.line) == [2])
  }

  @Test(arguments: [
    ("", "line 1, column 1: the text ends too early: expected a value"),
    ("{\"a\":\n", "line 2, column 1: the text ends too early: expected a value"),
    ("{\"a\": 1,", "line 1, column 9: the text ends too early: expected a string"),
    ("{\"a\": \"b", "line 1, column 9: the text ends too early: a string does not end"),
    ("{\"a\": 1\n", "line 2, column 1: the text ends too early: expected ',' or '}' in an object"),
    ("{\"a\": 1,}", "line 1, column 9: expected a string"),
    // A missing comma is missing after the value.
    ("{\"a\": 1 // b\n\"c\": 2}", "line 1, column 8: expected ',' or '}' in an object"),
    ("{\"a\": [1\n2]}", "line 1, column 9: expected ',' or ']' in an array"),
  ])
  func aTextThatIsCutOffSaysSo(text: String, problem: String) {
    let reader = DocumentReader(Array(text.utf8), allowingComments: true)
    #expect(reader.problems.map(\.description) == [problem])
  }

  @Test(arguments: [
    ("pionts", "points"), ("xep", "exp"), ("POINTS", "points"), ("xyz", nil), ("", nil),
  ])
  func nearestNamesAreNear(name: String, found: String?) {
    #expect(NearestName.find(name, among: ["points", "exp", "coins"]) == found)
  }
}
