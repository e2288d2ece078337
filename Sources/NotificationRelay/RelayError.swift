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

  /// An error.
  public init(place: String, cause: String, remedy: String) {
    self.place = place
    self.cause = cause
    self.remedy = remedy
  }

  /// What a failure of the disk or the database at a sink's folder comes to.
  init(_ failure: FileError, at place: String? = nil) {
    self.init(place: place ?? failure.path, cause: failure.cause, remedy: failure.remedy)
    disk = failure
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
