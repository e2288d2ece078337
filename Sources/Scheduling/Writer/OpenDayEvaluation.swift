import Engine
import Ledger

/// Evaluates users' open days by what is known, without looking.
public struct OpenDayEvaluation: Sendable {
  private let writer: LedgerWriter
  /// Users per change: a long piece of work lets others write in between.
  private static let portion = 4_096

  /// Evaluates by this writer's state.
  public init(_ writer: LedgerWriter) { self.writer = writer }

  /// Writes what is missing of these users' open days.
  public func run(over users: some Sequence<Int> & Sendable) async throws -> AppendCounts {
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

  /// Returns how many records a run over these users would append; nothing is written.
  public func missingCount(of users: some Sequence<Int> & Sendable) async -> Int {
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
      // Whose zone is unknown is not judged; a poll reports it.
      guard let timeline = try? timeline(of: user, now: now) else {
        return nil
      }
      var days = OpenDays(timeline, cause: "reconcile")
      days.evaluate()
      return days.draft.isEmpty ? nil : days.draft
    }
  }
}
