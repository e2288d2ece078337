import Foundation

/// A Swift file of the project with its code laid bare: comments and the insides of texts are blanked, lines stay.
struct SourceFile: Sendable {
  /// The path inside the package.
  let path: String
  /// The code, a line each.
  let codeLines: [String]

  init(path: String, text: String) {
    self.path = path
    var stripper = CodeStripper(text)
    codeLines = stripper.strip().split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
  }

  /// The target that the file belongs to, as `Ledger` in `Sources/Ledger/…`.
  var target: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  /// The places where `pattern` matches the code, as `PATH:LINE: CODE`.
  func places(of pattern: NSRegularExpression) -> [String] {
    codeLines.enumerated().compactMap { index, line in
      pattern.isIn(line)
        ? "\(path):\(index + 1): \(line.trimmingCharacters(in: .whitespaces))" : nil
    }
  }
}

extension NSRegularExpression {
  /// Whether it matches anywhere in a line.
  func isIn(_ line: String) -> Bool {
    firstMatch(in: line, range: NSRange(location: 0, length: line.utf16.count)) != nil
  }
}
