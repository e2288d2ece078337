import Engine
import Ledger

/// A change, or a read of the state, waiting for its turn.
struct WriterRequest: Sendable {
  /// The most users for which a request may run on the caller's thread.
  private static let mostBriefUsers = 16

  /// Whether composing it is too quick to be worth a thread.
  var isBrief: Bool {
    if case .users(let users) = scope {
      mayBeBrief && alone == nil && users.count <= Self.mostBriefUsers
    } else {
      false
    }
  }

  let scope: LedgerWriter.Scope
  /// Whether the number of users indicates how long it takes.
  private let mayBeBrief: Bool
  /// Returns what to append; nil if the caller already has its answer.
  let compose: @Sendable (inout WorkingState) -> LedgerWriter.Proposal<Void>?
  /// Answers the caller if nothing could be appended; nil for a read, which appends nothing and always finishes.
  let fail: (@Sendable (any Error) -> Void)?
  /// Does the request's work when it has the ledger to itself.
  let alone: (@Sendable (inout WorkingState, LedgerWriter.Appending) -> Void)?

  init(
    scope: LedgerWriter.Scope, mayBeBrief: Bool = true,
    compose: @escaping @Sendable (inout WorkingState) -> LedgerWriter.Proposal<Void>?,
    fail: (@Sendable (any Error) -> Void)?
  ) {
    self.scope = scope
    self.mayBeBrief = mayBeBrief
    self.compose = compose
    self.fail = fail
    alone = nil
  }

  init(
    scope: LedgerWriter.Scope,
    alone: @escaping @Sendable (inout WorkingState, LedgerWriter.Appending) -> Void
  ) {
    self.scope = scope
    mayBeBrief = false
    compose = { _ in nil }
    fail = nil
    self.alone = alone
  }
}
