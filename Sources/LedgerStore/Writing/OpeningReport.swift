public import Ledger

/// What a store found and did when it was opened.
public struct OpeningReport: Equatable, Sendable {
  /// Bytes after the last seal that were cut off and kept aside.
  public struct Cut: Equatable, Sendable {
    /// The segment's name.
    public let segment: String
    /// The first byte that was cut.
    public let byte: Int
    /// How many bytes.
    public let count: Int
    /// The file that keeps them.
    public let keptIn: String
  }

  /// The ledger's id.
  public internal(set) var ledger = ""
  /// Whether the ledger was begun just now.
  public internal(set) var isNew = false
  /// The head of the snapshot after which lines were read and checked; nil when all were.
  public internal(set) var snapshot: LedgerHead?
  /// Snapshots that were passed over, with the cause.
  public internal(set) var skippedSnapshots: [String] = []
  /// What was cut off, if anything.
  public internal(set) var cut: Cut?
  /// How many lines were read and checked.
  public internal(set) var checkedRecords = 0

  /// Nothing found yet.
  init() {}
}
