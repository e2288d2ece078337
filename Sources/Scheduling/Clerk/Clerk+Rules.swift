import CivilTime
public import Ledger
public import RewardRules

extension Clerk {
  /// Puts the rules into use: documents that the ledger does not hold yet are written into it.
  ///
  /// Returns how many were. Throws when a document begins in a closed past without correcting another.
  public func use(_ rules: RuleBook, draws: DrawSecret) async throws -> Int {
    try await inTurn { clerk in
      let known = Set(clerk.desk.book.ruleTexts)
      var draft = Draft()
      for document in rules.documents where !known.contains(document.canonicalText) {
        let lastClosed = clerk.desk.book.closes.values.map(\.last.day).max()
        if let problem = document.problem(lastClosed: lastClosed) { throw problem }
        draft.bodies.append(
          .rules(
            RulesRecord(
              version: document.version, effectiveFrom: document.effectiveFrom,
              corrects: document.corrects, sha256: document.sha256, drawKey: draws.fingerprint,
              document: document.canonicalText)))
      }
      let count = try await clerk.commit([draft]).count
      clerk.desk.context.rules = rules
      return count
    }
  }

  /// Records that a job ran or was skipped.
  public func note(_ run: RunRecord) async throws {
    try await append(.run(run))
  }

  /// Records a fire of a job, unless the ledger has its record: a run by hand and the service may meet the same one.
  public func noteOnce(_ run: RunRecord) async throws {
    try await inTurn { clerk in
      if clerk.desk.book.isRecorded(run) { return }
      var draft = Draft()
      draft.bodies = [.run(run)]
      _ = try await clerk.commit([draft])
    }
  }

  /// Records a person's act.
  public func note(_ act: OperatorRecord) async throws {
    try await append(.operator(act))
  }

  /// Declares an outage; open days are judged by it from now on, closed ones by a backfill.
  public func excuse(_ excuse: ExcuseRecord) async throws {
    try await append(.excuse(excuse))
  }

  private func append(_ body: RecordBody) async throws {
    try await inTurn { clerk in
      var draft = Draft()
      draft.bodies = [body]
      _ = try await clerk.commit([draft])
    }
  }
}
