internal import StrictJSON

/// One mistake in the configuration: where it was written, at which key, and what to do.
public struct ConfigurationProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it was written: `rewards.json:12:5`, `$REWARDS_DATA` or `--data`.
  public let place: String
  /// The path of the key, as `api.baseURL`; empty for the whole document.
  public let path: String
  /// What is wrong and what to do.
  public let what: String

  /// A mistake found at a place.
  public init(place: String, path: String, what: String) {
    self.place = place
    self.path = path
    self.what = what
  }

  /// A mistake in a file.
  init(file: String, _ problem: DocumentProblem) {
    self.init(
      place: "\(file):\(problem.line):\(problem.column)", path: problem.path, what: problem.what)
  }

  /// Place, key and cause, on one line.
  public var description: String {
    path.isEmpty ? "\(place): \(what)" : "\(place): \(path): \(what)"
  }
}
