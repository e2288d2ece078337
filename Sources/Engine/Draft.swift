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

  /// Returns the records with references to evidence resolved, if the first record gets the sequence number `first`.
  fileprivate func resolved(from first: UInt64) -> [RecordBody] {
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
  /// Returns the records of all drafts in turn with references resolved, if the first gets the sequence number `first`. An act
  /// gets the sums of the records that name it.
  package func resolved(from first: UInt64) -> [RecordBody] {
    var bodies: [RecordBody] = []
    for draft in self { bodies += draft.resolved(from: first + UInt64(bodies.count)) }
    var place: Int?
    for index in bodies.indices {
      if case .operator(let record) = bodies[index] {
        if record.act.accountsForRecords { place = index }
      } else if bodies[index].by == RecordBody.actBefore {
        bodies[index].by = place.map { first + UInt64($0) }
        guard let place, case .operator(var act) = bodies[place] else { continue }
        act.sums.add(bodies[index])
        bodies[place] = .operator(act)
      }
    }
    return bodies
  }
}

extension RecordBody {
  /// The provisional ``by`` of a record whose act is the last one before it in the same append.
  package static let actBefore = UInt64.max

  /// The same record, which names the last act before it in the same append.
  package var ofActBefore: RecordBody {
    var body = self
    body.by = Self.actBefore
    return body
  }
}
