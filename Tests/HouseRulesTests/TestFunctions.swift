/// Finds the functions of a test file and tells which of them are tests and which hold expectations.
struct TestFunctions {
  /// A function of a test file.
  struct Found: Equatable {
    let name: String
    let isTest: Bool
    let hasExpectation: Bool
  }

  private let code: [Character]

  /// Looks through code without comments and texts.
  init(_ file: SourceFile) { code = Array(file.codeLines.joined(separator: "\n")) }

  /// The functions in the order of the file. One inside another is counted by itself and as part of the outer one.
  var all: [Found] {
    var found: [Found] = []
    var isTest = false
    var index = 0
    while index < code.count {
      if isWord("@Test", at: index) {
        isTest = true
        index = afterArguments(index + 5)
      } else if isWord("func", at: index) {
        found.append(function(at: index, isTest: isTest))
        isTest = false
        index += 4
      } else if isWord("struct", at: index) || isWord("var", at: index) {
        isTest = false
        index += 1
      } else {
        index += 1
      }
    }
    return found
  }

  private func function(at start: Int, isTest: Bool) -> Found {
    var index = start + 4
    while index < code.count, code[index].isWhitespace { index += 1 }
    let name = String(code[index...].prefix { $0 != "(" && $0 != "<" && !$0.isWhitespace })
    while index < code.count, code[index] != "{" {
      index = code[index] == "(" ? after(index, open: "(", close: ")") : index + 1
    }
    let body = String(code[min(index, code.count)..<after(index, open: "{", close: "}")])
    let hasExpectation = ["#expect", "#require"].contains { body.contains($0) }
    return Found(name: name, isTest: isTest, hasExpectation: hasExpectation)
  }

  private func isWord(_ word: String, at index: Int) -> Bool {
    let end = index + word.count
    guard end <= code.count, code[index] == word.first, String(code[index..<end]) == word else {
      return false
    }
    let isInside = { (character: Character) in character.isLetter || character == "_" }
    if index > 0, isInside(code[index - 1]) { return false }
    return end == code.count || !isInside(code[end])
  }

  private func afterArguments(_ index: Int) -> Int {
    index < code.count && code[index] == "(" ? after(index, open: "(", close: ")") : index
  }

  /// The index after the bracket that closes the one at `start`.
  private func after(_ start: Int, open: Character, close: Character) -> Int {
    var depth = 0
    var index = start
    while index < code.count {
      if code[index] == open { depth += 1 }
      if code[index] == close { depth -= 1 }
      index += 1
      if depth == 0 { return index }
    }
    return code.count
  }
}
