/// Transfers in the order in which they came; taking the first costs the same however many wait.
struct TransferQueue {
  private var transfers: [Transfer] = []
  private var head = 0

  var isEmpty: Bool { head == transfers.count }

  mutating func append(_ transfer: Transfer) { transfers.append(transfer) }

  mutating func popFirst() -> Transfer? {
    guard head < transfers.count else { return nil }
    let first = transfers[head]
    head += 1
    if head * 2 > transfers.count, head > 64 || head == transfers.count {
      transfers.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Takes `transfer` out, wherever it stands.
  mutating func remove(_ transfer: Transfer) {
    guard let index = transfers[head...].firstIndex(where: { $0 === transfer }) else { return }
    transfers.remove(at: index)
  }
}
