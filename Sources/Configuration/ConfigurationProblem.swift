package import StrictJSON

/// A mistake in the configuration: where it was written, its key, and what to do.
package struct ConfigurationProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The place, as in `rewards.json:12:5`, `$REWARDS_DATA` or `--data`.
  package let place: String
  /// The path of the key, as in `api.baseURL`; empty for the whole document.
  package let path: String
  /// The problem and its remedy.
  package let what: String

  /// Creates a problem found at a place.
  package init(place: String, path: String, what: String) {
    self.place = place
    self.path = path
    self.what = what
  }

  /// Creates a problem found in a file.
  package init(file: String, _ problem: DocumentProblem) {
    self.init(
      place: "\(file):\(problem.line):\(problem.column)", path: problem.path, what: problem.what)
  }

  /// The place, the key and the cause, on one line.
  package var description: String {
    path.isEmpty ? "\(place): \(what)" : "\(place): \(path): \(what)"
  }
}
