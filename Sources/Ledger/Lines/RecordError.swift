/// Why a record cannot become a line of the ledger.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The sequence number that the record would have had.
  public let seq: UInt64
  /// The record's type.
  public let type: RecordType
  /// What is wrong and what to do.
  public let what: String

  /// An error about one record.
  public init(seq: UInt64, type: RecordType, what: String) {
    self.seq = seq
    self.type = type
    self.what = what
  }

  /// The record and the cause, on one line.
  public var description: String { "\(type.rawValue) record, seq \(seq): \(what)" }
}
