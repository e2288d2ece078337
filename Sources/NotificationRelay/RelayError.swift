/// Why a sink's folder cannot be used, or what was sent cannot be recorded: place, cause and remedy.
public struct RelayError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file or folder.
  public let place: String
  /// What is wrong.
  public let cause: String
  /// What to do.
  public let remedy: String

  /// An error.
  public init(place: String, cause: String, remedy: String) {
    self.place = place
    self.cause = cause
    self.remedy = remedy
  }

  /// All of it on one line.
  public var description: String { "\(place): \(cause); \(remedy)" }
}
