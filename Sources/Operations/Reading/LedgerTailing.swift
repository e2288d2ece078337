import Foundations
package import Ledger
package import LedgerStore

/// Follows a ledger: returns the records committed since the last call, whoever writes them.
package actor LedgerTailing {
  /// A record and its line.
  package struct Line: Sendable {
    /// The record.
    package let record: Record
    /// The line with its `\n`.
    package let bytes: [UInt8]
  }

  /// The maximum number of lines returned at once.
  private static let portion = 1_000

  private let directory: DataDirectory
  private let selection: LineSelection
  private let thread = BlockingThread(named: "rewards.tail")
  private var after: UInt64

  /// Creates a follower of the ledger in `directory`, from the line after `seq` on, or from its end.
  package init(
    _ directory: DataDirectory, selection: LineSelection, after seq: UInt64?
  ) throws {
    self.directory = directory
    self.selection = selection
    after = try seq ?? LedgerReader.open(directory).head.seq
  }

  /// Returns the new lines, at most about a thousand; empty when there are none.
  package func next() async throws -> [Line] {
    let (directory, selection, start) = (directory, selection, after)
    let (lines, end) = try await thread.run {
      var lines: [Line] = []
      var end = start
      let reader = try LedgerReader.open(directory)
      guard reader.head.seq > start else { return (lines, end) }
      var selector = LineSelector(selection)
      try reader.scanLines(after: start) { seq, line in
        end = seq
        if try selector.includes(line) {
          lines.append(Line(record: try RecordDecoder.decode(line), bytes: Array(line)))
        }
        return lines.count >= Self.portion ? .stop : .next
      }
      return (lines, end)
    }
    after = end
    return lines
  }
}
