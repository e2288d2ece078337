import Engine
import Ledger

/// A change, or a look at the state, that waits for its turn.
struct WriterRequest: Sendable {
  struct Composed {
    let drafts: [Draft]
    let finish: (inout WorkingState, ArraySlice<Record>) -> Void
    let fail: (inout WorkingState, any Error) -> Void

    init(
      drafts: [Draft], finish: @escaping (inout WorkingState, ArraySlice<Record>) -> Void,
      fail: @escaping (inout WorkingState, any Error) -> Void
    ) {
      self.drafts = drafts
      self.finish = finish
      self.fail = fail
    }
  }

  /// A request that concerns more users than this is the thread's from the beginning.
  private static let mostBriefUsers = 16

  /// Whether composing it takes no time worth a thread.
  var isBrief: Bool {
    if case .users(let users) = scope {
      mayBeBrief && alone == nil && users.count <= Self.mostBriefUsers
    } else {
      false
    }
  }

  let scope: LedgerWriter.Scope
  /// Whether the number of users tells how long it takes.
  private let mayBeBrief: Bool
  /// What to append; nil when the caller has its answer already.
  let compose: @Sendable (inout WorkingState) -> Composed?
  /// What the request does when it has the ledger alone.
  let alone: (@Sendable (inout WorkingState, LedgerWriter.Appending) -> Void)?

  init(
    scope: LedgerWriter.Scope, mayBeBrief: Bool = true,
    compose: @escaping @Sendable (inout WorkingState) -> Composed?
  ) {
    self.scope = scope
    self.mayBeBrief = mayBeBrief
    self.compose = compose
    alone = nil
  }

  init(
    scope: LedgerWriter.Scope,
    alone: @escaping @Sendable (inout WorkingState, LedgerWriter.Appending) -> Void
  ) {
    self.scope = scope
    mayBeBrief = false
    compose = { _ in nil }
    self.alone = alone
  }
}
