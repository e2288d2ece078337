internal import Glibc

/// Makes a call again that a signal interrupted before it did anything.
enum Interruption {
  /// A call that is interrupted more often than this has failed: nothing waits for ever.
  static let limit = 100

  /// What `call` returns, tried anew after each `EINTR`.
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
