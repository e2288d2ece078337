package import Ledger

/// A report of what a store found and did when it was opened.
package struct OpeningReport: Equatable, Sendable {
  /// Bytes after the last seal that were cut off and kept.
  package struct Cut: Equatable, Sendable {
    /// The segment's name.
    package let segment: String
    /// The first byte cut off.
    package let byte: Int
    /// The number of bytes.
    package let count: Int
    /// The file that keeps them.
    package let keptIn: String
  }

  /// The ledger's id.
  package internal(set) var ledger = ""
  /// Whether the ledger was created just now.
  package internal(set) var isNew = false
  /// The head of the snapshot after which lines were read and checked; nil if all were.
  package internal(set) var snapshot: LedgerHead?
  /// Skipped snapshots, with the cause.
  package internal(set) var skippedSnapshots: [String] = []
  /// What was cut off, if anything.
  package internal(set) var cut: Cut?
  /// The number of lines read and checked.
  package internal(set) var checkedRecords = 0

  /// Creates an empty report.
  init() {}
}
