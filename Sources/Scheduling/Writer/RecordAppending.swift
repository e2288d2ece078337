public import Engine
public import Ledger

/// Changes that need no judging of their own.
extension LedgerWriter {
  /// Records a person's act, a declared outage, or a run.
  public func note(_ body: RecordBody) async throws {
    try await change(.all) { _ in Proposal([Draft([body])]) { _, _ in } }
  }

  /// Records a fire of a job, unless the ledger has its record: a run by hand and the service may meet the same one.
  public func noteOnce(_ run: RunRecord) async throws {
    try await change(.all) { state in
      Proposal(state.ledger.isRecorded(run) ? [] : [Draft([.run(run)])]) { _, _ in }
    }
  }

  /// Where a job stands in each of its zones, by zone name.
  public func positions(of job: Job) async -> [JobPosition] {
    await read { $0.ledger.positions(of: job) }
  }

  /// Users per change: a long piece of work lets others write in between.
  private static let portion = 4_096

  /// Evaluates the open days of these users by what is known, without looking, and writes what is missing.
  public func evaluateOpenDays(of users: some Sequence<Int> & Sendable) async throws -> AppendCounts
  {
    var counts = AppendCounts()
    var rest = Array(users)[...]
    while !rest.isEmpty {
      let some = Array(rest.prefix(Self.portion))
      rest = rest.dropFirst(some.count)
      counts += try await change(.users(some)) { state in
        Proposal(state.missingRecords(of: some)) { _, records in AppendCounts(records) }
      }
    }
    return counts
  }

  /// How many records evaluating these users again would append; nothing is written.
  public func missingCount(of users: some Sequence<Int> & Sendable) async -> Int {
    let users = Array(users)
    return await read { state in
      state.missingRecords(of: users).reduce(0) { $0 + $1.count }
    }
  }

  /// The state for a snapshot, and the seal that it stands for.
  ///
  /// A copy that shares its memory until the next change: making bytes of it holds nobody up.
  public func snapshot() async throws -> (state: LedgerState, head: LedgerHead) {
    try await alone { state, log in (state.ledger, log.head) }
  }

  /// Appends what was worked out for users, all records of one user under one seal; what hangs on it on open days is the
  /// next evaluation's.
  ///
  /// Throws ``Outdated`` before anything is written when the closed days of one of them are not any more what they were.
  public func append(_ plans: [UserPlan]) async throws -> AppendCounts {
    let changed = plans.filter { !$0.records.isEmpty }
    return try await alone { state, log in
      let outdated = changed.filter { !$0.fits(state.ledger.account(of: $0.user)) }
      if !outdated.isEmpty { throw Outdated(users: outdated.map(\.user)) }
      var counts = AppendCounts()
      var rest = changed[...]
      while !rest.isEmpty {
        let batch = rest.prefix(Self.plansPerBatch)
        rest = rest.dropFirst(batch.count)
        counts += AppendCounts(try log.commit(batch.map { Draft($0.records) }, &state))
      }
      return counts
    }
  }

  /// Why a plan was not appended: since it was worked out, closed days of these users have changed.
  public struct Outdated: Error, Sendable, Equatable {
    /// The users' ids.
    public let users: [String]
  }

  /// Users whose records of a plan share a seal.
  private static let plansPerBatch = 500
}

extension WorkingState {
  fileprivate mutating func missingRecords(of users: [Int]) -> [Draft] {
    let now = clock.now()
    return users.compactMap { user in
      // Whose zone is unknown is not judged; a poll reports it.
      guard let timeline = try? timeline(of: user, now: now, includesLeaving: true) else {
        return nil
      }
      var days = OpenDays(timeline, cause: "reconcile")
      days.evaluate()
      return days.draft.isEmpty ? nil : days.draft
    }
  }
}

extension UserPlan {
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
