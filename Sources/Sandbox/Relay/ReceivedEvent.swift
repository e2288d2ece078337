public import HTTPServer

/// An event as the relay receiver got it.
public struct ReceivedEvent: Sendable, Equatable {
  /// The event's id.
  public let id: String
  /// The body of the first delivery that was accepted.
  public let body: [UInt8]
  /// The headers of that delivery.
  public let headers: [HTTPField]
  /// How many deliveries were accepted.
  public internal(set) var deliveries: Int
}
