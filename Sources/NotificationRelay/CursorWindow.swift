import Ledger

/// Finds the last seal before which nothing is unsettled.
struct CursorWindow: Sendable {
  private struct Batch: Sendable {
    /// The seal that ends it; nil until it has been read.
    var seal: LedgerHead?
    var unsettled = 0
  }

  /// The seal up to which everything is settled.
  private(set) var cursor: LedgerHead
  private var batches: ArraySlice<Batch> = [Batch()]
  /// The number of the first of ``batches``.
  private var first = 0

  init(at cursor: LedgerHead) { self.cursor = cursor }

  /// Adds an entry to the batch being read and returns the batch's number.
  mutating func add() -> Int {
    batches[batches.endIndex - 1].unsettled += 1
    return first + batches.count - 1
  }

  /// Records that an entry of the batch is settled, or tracked elsewhere.
  mutating func settle(_ batch: Int) {
    batches[batches.startIndex + batch - first].unsettled -= 1
    advance()
  }

  /// Ends the batch being read.
  mutating func close(with seal: LedgerHead) {
    batches[batches.endIndex - 1].seal = seal
    batches.append(Batch())
    advance()
  }

  private mutating func advance() {
    while let batch = batches.first, let seal = batch.seal, batch.unsettled == 0 {
      cursor = seal
      batches.removeFirst()
      first += 1
    }
  }
}
