internal import Evidence
package import Ledger

/// Records about one user to be appended together, with references between them still open.
///
/// Fresh evidence comes first and has no sequence number yet. Grants refer to it by a provisional number, which
/// `resolved(from:)` replaces.
package struct Draft: Sendable {
  /// The records, in order.
  package var bodies: [RecordBody]
  /// How many of the first are fresh evidence, in the order of its provisional numbers.
  private var freshCount = 0

  /// Creates a draft of these records, without fresh evidence.
  package init(_ bodies: [RecordBody] = []) { self.bodies = bodies }

  /// Whether there is nothing to append.
  package var isEmpty: Bool { bodies.isEmpty }
  /// The number of records.
  package var count: Int { bodies.count }

  /// The provisional number of the next evidence.
  var nextEvidence: UInt64 { RecordedEvidence.firstProvisional + UInt64(freshCount) }

  /// Adds fresh evidence under ``nextEvidence``.
  mutating func add(_ evidence: EvidenceRecord) {
    bodies.insert(.evidence(evidence), at: freshCount)
    freshCount += 1
  }

  /// Returns the records with references resolved, if the first record gets the sequence number `first`.
  package func resolved(from first: UInt64) -> [RecordBody] {
    if freshCount == 0 { return bodies }
    return bodies.map { body in
      guard case .grant(var grant) = body else { return body }
      grant.evidence = grant.evidence.map {
        $0 >= RecordedEvidence.firstProvisional
          ? first + ($0 - RecordedEvidence.firstProvisional) : $0
      }
      return .grant(grant)
    }
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
