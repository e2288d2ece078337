package import Failures
package import Foundations

/// Why a sink's folder cannot be used, or a delivery cannot be recorded: place, cause and remedy.
package struct RelayError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file or folder.
  package let place: String
  /// What is wrong.
  package let cause: String
  /// What to do.
  package let remedy: String
  /// The underlying failure of the disk or database, which may be temporary; nil if the content is wrong.
  package private(set) var disk: FileError?
  /// Whether the content is not what this program writes: it is then ignored, and every event is sent again.
  private(set) var isDamage = false

  package init(place: String, cause: String, remedy: String) {
    self.place = place
    self.cause = cause
    self.remedy = remedy
  }

  /// Creates the error for a file whose content is not what this program writes.
  init(damaged place: String, cause: String) {
    self.init(
      place: place, cause: "the sink's progress cannot be read: \(cause)",
      remedy:
        "restore it from a backup, or let rewards serve send every event again, with the same ids")
    isDamage = true
  }

  /// Creates the error for a disk or database failure at a sink's folder.
  init(_ failure: FileError, at place: String? = nil) {
    self.init(place: place ?? failure.path, cause: failure.cause, remedy: failure.remedy)
    disk = failure
  }

  /// The error for an act that is in force but could not be recorded.
  var inForce: RelayError {
    var error = RelayError(
      place: place, cause: cause,
      remedy: "it is in force nevertheless, and will be recorded as soon as possible: \(remedy)")
    error.disk = disk
    return error
  }

  /// The whole error on one line.
  package var description: String { "\(place): \(cause); \(remedy)" }
}

extension RelayError: FailureConvertible {
  /// The underlying failure's meaning, otherwise bad data.
  package var failure: Failure {
    Failure(disk?.failure.exitCode ?? .badData, cause, place: place, remedy: remedy)
  }
}
