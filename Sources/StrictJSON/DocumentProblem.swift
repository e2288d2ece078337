/// One mistake in a document that a person wrote: place, cause and, where there is one, the remedy.
public struct DocumentProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the offending value, as `missions.watch.points` or `streak.rewards[3]`; empty for the document.
  public let path: String
  /// The line in the text, from 1.
  public let line: Int
  /// What is wrong and what to do.
  public let what: String

  /// A mistake at a place.
  public init(path: String, line: Int, what: String) {
    self.path = path
    self.line = line
    self.what = what
  }

  /// The place and the cause, on one line.
  public var description: String {
    path.isEmpty ? "line \(line): \(what)" : "line \(line): \(path): \(what)"
  }
}
