/// Why a command could not do its work: the exit code and, for the operator, cause, place and remedy.
struct CommandFailure: Error, Equatable, Sendable {
  let exitCode: ExitCode
  /// What is wrong.
  let cause: String
  /// File, line, key or argument; nil when the cause says it.
  let place: String?
  /// What to do about it; nil when the cause says it.
  let remedy: String?

  init(_ exitCode: ExitCode, _ cause: String, place: String? = nil, remedy: String? = nil) {
    self.exitCode = exitCode
    self.cause = cause
    self.place = place
    self.remedy = remedy
  }

  /// Several mistakes at once, each with its place.
  init(_ exitCode: ExitCode, problems: [String]) {
    self.init(exitCode, problems.joined(separator: "\nrewards: "))
  }

  /// One line with place and cause, and one with the remedy when there is one.
  var text: String {
    let head = "rewards: \(place.map { "\($0): " } ?? "")\(cause)\n"
    return remedy.map { "\(head)  \($0)\n" } ?? head
  }
}
