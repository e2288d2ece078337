import Engine
import Ledger

/// Evaluates users' open days by what is known, without polling.
package struct OpenDayEvaluation: Sendable {
  private let writer: LedgerWriter
  /// The number of users per change, so that others can write during a long piece of work.
  private static let portion = 4_096

  /// Creates the evaluation of this writer's state.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Appends what is missing for these users' open days.
  package func run(over users: some Sequence<Int> & Sendable) async throws -> AppendCounts {
    var counts = AppendCounts()
    var rest = Array(users)[...]
    while !rest.isEmpty {
      let some = Array(rest.prefix(Self.portion))
      rest = rest.dropFirst(some.count)
      counts += try await writer.change(.users(some)) { state in
        LedgerWriter.Proposal(state.missingRecords(of: some)) { _, records in
          AppendCounts(records)
        }
      }
    }
    return counts
  }

  /// Returns how many records a run over these users would append. Writes nothing.
  package func missingCount(of users: some Sequence<Int> & Sendable) async -> Int {
    let users = Array(users)
    return await writer.scan { state in
      state.missingRecords(of: users).reduce(0) { $0 + $1.count }
    }
  }
}

extension WorkingState {
  fileprivate mutating func missingRecords(of users: [Int]) -> [Draft] {
    let now = clock.now()
    return users.compactMap { user in
      // A user with an unknown zone is not judged; a poll reports that.
      guard let timeline = try? timeline(of: user, now: now) else {
        return nil
      }
      var days = OpenDays(timeline, cause: "reconcile")
      days.evaluate()
      return days.draft.isEmpty ? nil : days.draft
    }
  }
}
