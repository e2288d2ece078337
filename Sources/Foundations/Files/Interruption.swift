internal import Glibc

/// Repeats calls that a signal interrupted before they did anything.
enum Interruption {
  /// The number of interruptions after which a call fails, so that nothing waits forever.
  static let limit = 100

  /// Returns the result of `call`, repeating it after each `EINTR`.
  static func retrying<Result>(
    _ call: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    for _ in 1..<limit {
      do throws(FileError) {
        return try call()
      } catch {
        if error.code != EINTR { throw error }
      }
    }
    return try call()
  }
}
