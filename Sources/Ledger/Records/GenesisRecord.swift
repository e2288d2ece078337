/// The first line of a ledger.
public struct GenesisRecord: Sendable, Equatable {
  /// The format's number: 1.
  public var format: Int
  /// The ledger's id, a lower-case UUID.
  public var ledger: String
  /// Name and version of the program that made it.
  public var program: String

  /// The record with these fields.
  public init(
    format: Int, ledger: String, program: String
  ) {
    self.format = format
    self.ledger = ledger
    self.program = program
  }
}
