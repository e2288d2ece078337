import Ledger

/// Records that are to be appended together, with references among them still open.
///
/// Fresh evidence stands first and has no sequence number yet: grants refer to it by a provisional number, which
/// `resolved(from:)` replaces.
struct Draft: Sendable {
  /// Numbers from here on are provisional: the position of fresh evidence within its own draft.
  static let provisional: UInt64 = 1 << 62

  /// Fresh evidence, in the order of its provisional numbers.
  var evidence: [EvidenceRecord] = []
  /// All other records, in order.
  var bodies: [RecordBody] = []

  var isEmpty: Bool { evidence.isEmpty && bodies.isEmpty }
  var count: Int { evidence.count + bodies.count }

  /// The provisional number of the next evidence to be added.
  var nextEvidence: UInt64 { Self.provisional + UInt64(evidence.count) }

  /// The records when the first of them gets the sequence number `first`.
  func resolved(from first: UInt64) -> [RecordBody] {
    var resolved: [RecordBody] = evidence.map { .evidence($0) }
    resolved.reserveCapacity(count)
    for body in bodies {
      guard case .grant(var grant) = body else {
        resolved.append(body)
        continue
      }
      grant.evidence = grant.evidence.map {
        $0 >= Self.provisional ? first + ($0 - Self.provisional) : $0
      }
      resolved.append(.grant(grant))
    }
    return resolved
  }
}
