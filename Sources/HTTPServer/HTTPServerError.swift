/// Why a server could not start: the place, the cause and the remedy.
public struct HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The address that was asked for.
  public let address: ListenAddress
  /// What is wrong there.
  public let cause: String
  /// What an operator can do about it.
  public let remedy: String

  /// An error about `address`.
  public init(address: ListenAddress, cause: String, remedy: String) {
    self.address = address
    self.cause = cause
    self.remedy = remedy
  }

  /// Place, cause and remedy, on one line.
  public var description: String { "cannot listen on \(address): \(cause); \(remedy)" }
}
