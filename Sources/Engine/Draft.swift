internal import Evidence
package import Ledger

/// Records about one user to be appended together, with references between them still open.
///
/// Fresh evidence comes first and has no sequence number yet. Grants refer to it by a provisional number, which
/// `resolved(from:)` replaces.
package struct Draft: Sendable {
  /// Fresh evidence, in the order of its provisional numbers.
  package internal(set) var evidence: [EvidenceRecord] = []
  /// All other records, in order.
  package var bodies: [RecordBody] = []

  /// Creates a draft of these records.
  package init(_ bodies: [RecordBody] = []) { self.bodies = bodies }

  /// Whether there is nothing to append.
  package var isEmpty: Bool { evidence.isEmpty && bodies.isEmpty }
  /// The number of records.
  package var count: Int { evidence.count + bodies.count }

  /// The provisional number of the next evidence.
  var nextEvidence: UInt64 { RecordedEvidence.firstProvisional + UInt64(evidence.count) }

  /// Returns the records with references resolved, if the first record gets the sequence number `first`.
  package func resolved(from first: UInt64) -> [RecordBody] {
    var resolved: [RecordBody] = evidence.map { .evidence($0) }
    resolved.reserveCapacity(count)
    for body in bodies {
      guard case .grant(var grant) = body else {
        resolved.append(body)
        continue
      }
      grant.evidence = grant.evidence.map {
        $0 >= RecordedEvidence.firstProvisional
          ? first + ($0 - RecordedEvidence.firstProvisional) : $0
      }
      resolved.append(.grant(grant))
    }
    return resolved
  }
}

extension [Draft] {
  /// Returns the records of all drafts in turn with references resolved, if the first gets the sequence number `first`.
  package func resolved(from first: UInt64) -> [RecordBody] {
    var bodies: [RecordBody] = []
    for draft in self { bodies += draft.resolved(from: first + UInt64(bodies.count)) }
    return bodies
  }
}
