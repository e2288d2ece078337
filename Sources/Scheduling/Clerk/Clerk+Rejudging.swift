import Evidence
import Ledger

extension Clerk {
  /// Users per turn: a long piece of work lets others write in between.
  private static let rejudgingLimit = 4_096

  /// Judges the open days of these users by what is known, without looking, and writes what is missing.
  public func judgeOpenDays(of users: some Sequence<Int> & Sendable) async throws -> Tally {
    var tally = Tally()
    var rest = Array(users)[...]
    while !rest.isEmpty {
      let some = rest.prefix(Self.rejudgingLimit)
      rest = rest.dropFirst(Self.rejudgingLimit)
      tally += try await inTurn { clerk in
        Tally(try await clerk.commit(clerk.missingRecords(of: some)))
      }
    }
    return tally
  }

  /// How many records judging these users again would append; nothing is written.
  public func missingCount(of users: some Sequence<Int> & Sendable) -> Int {
    missingRecords(of: users).reduce(0) { $0 + $1.count }
  }

  private func missingRecords(of users: some Sequence<Int>) -> [Draft] {
    let now = clock.now()
    return users.compactMap { user in
      // Whose zone is unknown is not judged; a visit reports it.
      guard var judge = try? desk.judge(of: user, now: now, cause: "reconcile") else { return nil }
      judge.judge()
      return judge.draft.isEmpty ? nil : judge.draft
    }
  }
}
