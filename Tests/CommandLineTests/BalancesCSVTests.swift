import Failures
import TestSupport
import Testing

@testable import rewards

@Suite(.offThePool) struct BalancesCSVTests {
  private static func lines(_ text: String) throws -> String {
    String(decoding: try BalancesCSV.lines(of: Array(text.utf8), in: "b.csv"), as: UTF8.self)
  }

  @Test(arguments: [
    ("user,points\nann,5\n", "\n{\"user\":\"ann\",\"points\":5}\n\n"),
    (
      "\u{FEFF}\"User\";\"Points\";Coins\r\n\"a;b\"; -7 ;0\r\n\r\nbob;0;3",
      "\n{\"user\":\"a;b\",\"points\":-7,\"coins\":0}\n\n{\"user\":\"bob\",\"points\":0,\"coins\":3}\n"
    ),
    ("points\tuser\n1\t\"x\"\"y\"", "\n{\"points\":1,\"user\":\"x\\\"y\"}\n"), ("", ""),
    ("\n\n", ""),
    // What the program writes itself: other columns, and the sums below.
    (
      "user,points,level,lastDay\nann,5,2,\nTOTAL (1 users),5,,\n",
      "\n{\"user\":\"ann\",\"points\":5}\n\n\n"
    ),
  ])
  func readsWhatSpreadsheetsWrite(text: String, lines: String) throws {
    #expect(try Self.lines(text) == lines)
  }

  @Test(arguments: [
    ("user,pionts\nann,5\n", 1, "did you mean \"points\"?"), ("points\n5\n", 1, "must name user"),
    ("user\nann\n", 1, "must name user"), ("user,points,points\nann,1,2\n", 1, "each once"),
    ("user,points\nann,5\nbob,1,2\n", 3, "the row has 3 cells, the first one 2"),
    ("user,points\nann,\"1,000\"\n", 2, "not a whole number"),
    ("user,points\nann,5.0\n", 2, "not a whole"),
    // What is empty would not be compared, and nobody would know.
    ("user,points,coins\nann,5,1\nbob,,2\n", 3, "the column points is empty"),
  ])
  func namesTheRow(text: String, line: Int, cause: String) {
    let problem = #expect(throws: Failure.self) { try Self.lines(text) }
    #expect(problem?.place == "b.csv, line \(line)")
    #expect(problem?.cause.contains(cause) == true, "\(problem?.cause ?? "")")
  }

  @Test func jsonLinesAreNoTable() {
    #expect(!BalancesCSV.isOne(Array("\n {\"user\":\"ann\"}".utf8)))
    #expect(!BalancesCSV.isOne([]))
    #expect(BalancesCSV.isOne(Array("\u{FEFF}user,points".utf8)))
  }
}
