/// Why a record cannot become a line of the ledger.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The record's type.
  public let type: RecordType
  /// How the record's line begins: enough to tell which one it is.
  public let beginning: String
  /// What is wrong and what to do.
  public let what: String

  /// An error about one record.
  public init(type: RecordType, beginning: String, what: String) {
    self.type = type
    self.beginning = beginning
    self.what = what
  }

  /// The record and the cause, on one line.
  public var description: String { "\(type.rawValue) record \(beginning)…: \(what)" }
}
