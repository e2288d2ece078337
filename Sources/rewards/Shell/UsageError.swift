/// A command line that means nothing: what is wrong with it and what would be right.
struct UsageError: Error, Equatable, Sendable {
  let cause: String
  /// The line that shows how it is done.
  let hint: String
}
