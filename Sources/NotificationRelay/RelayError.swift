public import Failures
public import Files

/// Why a sink's folder cannot be used, or what was sent cannot be recorded: place, cause and remedy.
public struct RelayError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file or folder.
  public let place: String
  /// What is wrong.
  public let cause: String
  /// What to do.
  public let remedy: String
  /// The failure of the disk or the database behind it, which may be over the next time; nil where what is there is wrong.
  public private(set) var disk: FileError?
  /// Whether what is there is not as this program writes it: nothing of it is believed, and every event is sent again.
  private(set) var isDamage = false

  /// An error.
  public init(place: String, cause: String, remedy: String) {
    self.place = place
    self.cause = cause
    self.remedy = remedy
  }

  /// A file that is not as this program writes it.
  init(damaged place: String, cause: String) {
    self.init(
      place: place, cause: "where the sink stands cannot be read: \(cause)",
      remedy:
        "put it back from a backup, or let rewards serve send every event again, with the same ids")
    isDamage = true
  }

  /// What a failure of the disk or the database at a sink's folder comes to.
  init(_ failure: FileError, at place: String? = nil) {
    self.init(place: place ?? failure.path, cause: failure.cause, remedy: failure.remedy)
    disk = failure
  }

  /// What to say of an act that could not be recorded when it was asked for.
  var inForce: RelayError {
    var error = RelayError(
      place: place, cause: cause,
      remedy: "it is in force all the same, and recorded as soon as that is possible: \(remedy)")
    error.disk = disk
    return error
  }

  /// All of it on one line.
  public var description: String { "\(place): \(cause); \(remedy)" }
}

extension RelayError: FailureConvertible {
  /// What the failure behind it means, else bad data.
  public var failure: Failure {
    Failure(disk?.failure.exitCode ?? .badData, cause, place: place, remedy: remedy)
  }
}
