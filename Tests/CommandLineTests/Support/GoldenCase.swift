import Failures

/// A recorded run of the program: what went in and what came out.
///
/// Written as sections that begin with a line `=== NAME`: `arguments` (one a line), `environment` (`NAME=VALUE`),
/// `file PATH`, `before` (command lines that run first, one a line, words divided by spaces; one that may
/// fail begins with `!`), `input`, then `exit`,
/// `output` and `errors` of the last run. Text before the first section says what the case shows.
struct GoldenCase {
  struct Outcome: Equatable {
    var exitCode: Int32
    var output: String
    var errors: String
  }

  var about = ""
  var arguments: [String] = []
  var environment: [String: String] = [:]
  var before: [[String]] = []
  var input = ""
  var files: [(path: String, text: String)] = []
  var outcome: Outcome?

  init(about: String, arguments: [String]) {
    self.about = about
    self.arguments = arguments
  }

  init(_ text: String) {
    let parts = text.split(separator: "=== ", omittingEmptySubsequences: false)
    about = String(parts[0])
    for part in parts.dropFirst() {
      let title = part.prefix { $0 != "\n" }
      take(title: String(title), body: String(part.dropFirst(title.count + 1)))
    }
  }

  /// The case with its outcome, as it stands in the file.
  var text: String {
    var text = about
    text += section("arguments", arguments.map { "\($0)\n" }.joined())
    text += section(
      "environment", environment.sorted { $0.key < $1.key }.map { "\($0)=\($1)\n" }.joined())
    for file in files { text += section("file \(file.path)", file.text) }
    text += section("before", before.map { $0.joined(separator: " ") + "\n" }.joined())
    text += section("input", input)
    guard let outcome else { return text }
    return text + section("exit", "\(outcome.exitCode)\n") + section("output", outcome.output)
      + section("errors", outcome.errors)
  }

  private mutating func take(title: String, body: String) {
    let lines = body.split(separator: "\n").map { String($0) }
    switch title {
    case "arguments": arguments = lines
    case "environment":
      for line in lines {
        let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        environment[String(pair[0])] = String(pair[1])
      }
    case "before": before = lines.map { $0.split(separator: " ").map { String($0) } }
    case "input": input = body
    case "exit":
      outcome = Outcome(exitCode: Int32(lines.first ?? "") ?? -1, output: "", errors: "")
    case "output": outcome?.output = body
    case "errors": outcome?.errors = body
    default: files.append((String(title.dropFirst("file ".count)), body))
    }
  }

  private func section(_ title: String, _ body: String) -> String {
    body.isEmpty ? "" : "=== \(title)\n\(body)"
  }
}
