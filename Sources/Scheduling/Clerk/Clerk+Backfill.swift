import Ledger

extension Clerk {
  /// Why a backfill was not appended: since it was worked out, closed days of these users have changed.
  public struct Outdated: Error, Sendable, Equatable {
    /// The users' ids.
    public let users: [String]
  }

  /// Users whose records share a seal.
  private static let backfillBatch = 500

  /// Appends what was worked out for users, all records of one user under one seal.
  /// What hangs on it on open days is the next judging's.
  ///
  /// Throws ``Outdated`` before anything is written when the closed days of one of them are not any more what they were.
  public func append(_ backfills: [UserBackfill]) async throws -> Tally {
    let changed = backfills.filter { !$0.records.isEmpty }
    return try await inTurn { clerk in
      let outdated = changed.filter { !$0.fits(clerk.desk.book.account(of: $0.user)) }
      if !outdated.isEmpty { throw Outdated(users: outdated.map(\.user)) }
      var tally = Tally()
      var rest = changed[...]
      while !rest.isEmpty {
        let batch = rest.prefix(Self.backfillBatch)
        rest = rest.dropFirst(batch.count)
        tally += Tally(try await clerk.commit(batch.map { Draft(bodies: $0.records) }))
      }
      return tally
    }
  }
}

extension UserBackfill {
  /// Whether the account's closed days are still those on which this was worked out.
  func fits(_ present: Account?) -> Bool {
    guard let present, present.boundary == account.boundary,
      present.amended == account.amended, present.state == account.state
    else { return false }
    return records.allSatisfy { body in
      guard case .reversal(let reversal) = body else { return true }
      // What is taken back of an open day must be what stands there.
      return present.grants.first { $0.text == reversal.key }
        == account.grants.first { $0.text == reversal.key }
    }
  }
}
