public import Ledger

/// A report of what a store found and did when it was opened.
public struct OpeningReport: Equatable, Sendable {
  /// Bytes after the last seal that were cut off and kept.
  public struct Cut: Equatable, Sendable {
    /// The segment's name.
    public let segment: String
    /// The first byte cut off.
    public let byte: Int
    /// The number of bytes.
    public let count: Int
    /// The file that keeps them.
    public let keptIn: String
  }

  /// The ledger's id.
  public internal(set) var ledger = ""
  /// Whether the ledger was created just now.
  public internal(set) var isNew = false
  /// The head of the snapshot after which lines were read and checked; nil if all were.
  public internal(set) var snapshot: LedgerHead?
  /// Skipped snapshots, with the cause.
  public internal(set) var skippedSnapshots: [String] = []
  /// What was cut off, if anything.
  public internal(set) var cut: Cut?
  /// The number of lines read and checked.
  public internal(set) var checkedRecords = 0

  /// Creates an empty report.
  init() {}
}
