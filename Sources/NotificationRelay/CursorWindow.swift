import Ledger

/// Which seals of the ledger have nothing unsettled before them.
struct CursorWindow: Sendable {
  private struct Batch: Sendable {
    /// The seal that ends it; nil while that has not been read.
    var seal: LedgerHead?
    var unsettled = 0
  }

  /// Everything up to this seal is settled.
  private(set) var cursor: LedgerHead
  private var batches: ArraySlice<Batch> = [Batch()]
  /// The number of the first of ``batches``.
  private var first = 0

  init(at cursor: LedgerHead) { self.cursor = cursor }

  /// Notes an entry of the batch that is being read, and returns the batch's number.
  mutating func add() -> Int {
    batches[batches.endIndex - 1].unsettled += 1
    return first + batches.count - 1
  }

  /// Notes that an entry of the batch with this number is settled, or kept account of elsewhere.
  mutating func settle(_ batch: Int) {
    batches[batches.startIndex + batch - first].unsettled -= 1
    advance()
  }

  /// Ends the batch that is being read.
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
