import Files
public import Ledger
public import LedgerStore
import Threading

/// Follows a ledger: the records that were committed since it was asked last, whoever writes it.
public actor LedgerTailing {
  /// A record and the line that says it.
  public struct Line: Sendable {
    /// What it says.
    public let record: Record
    /// The line with its `\n`.
    public let bytes: [UInt8]
  }

  /// Lines that are handed over at once.
  private static let portion = 1_000

  private let directory: DataDirectory
  private let selection: LineSelection
  private let thread = BlockingThread(named: "rewards.tail")
  private var after: UInt64

  /// Follows the ledger in `directory` from the line after `seq` on, or from its end.
  public init(
    _ directory: DataDirectory, selection: LineSelection, after seq: UInt64?
  ) throws {
    self.directory = directory
    self.selection = selection
    after = try seq ?? LedgerReader.open(directory).head.seq
  }

  /// What has come since, at most some thousand lines; nothing when nothing has.
  public func next() async throws -> [Line] {
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
