public import CivilTime
import Engine
import Ledger
public import RewardRules

/// Gives users something by hand.
public struct GiftByHand: Sendable {
  /// Why a grant by hand is refused; nothing was written.
  public enum Problem: Error, Sendable, Equatable {
    /// The ledger does not know the user, or the user has left.
    case noSuchUser
    /// The user is not judged, and why.
    case stopped(String)
    /// The user's first judged day has not begun.
    case notYet(first: Day)
    /// No such items are in the catalogue of the rules in force.
    case noSuchItem(String)
  }

  private let writer: LedgerWriter

  /// Gifts by this writer.
  public init(_ writer: LedgerWriter) { self.writer = writer }

  /// Gives a user something under `USER/manual/ID`, for the day that runs at the user's; returns what was appended, what
  /// hangs on it included: nothing when something stands under that key already.
  ///
  /// The act and the grant share a seal. Throws ``Problem``, or what the ledger throws.
  public func give(
    _ reward: Reward, to user: String, id: String, reason: String, actor: String
  ) async throws -> AppendCounts {
    let (index, counts) = try await writer.change(.all) { state in
      guard let index = state.ledger.index(of: user), state.ledger.accounts[index].isPresent
      else { throw Problem.noSuchUser }
      let account = state.ledger.accounts[index]
      if let why = account.stopped { throw Problem.stopped(why) }
      if account.manualIDs.contains(id) {
        return LedgerWriter.Proposal([]) { _, _ in (index, AppendCounts()) }
      }
      let now = state.clock.now()
      guard let window = try state.openWindows(of: index, through: now).last else {
        throw Problem.notYet(first: account.firstDay)
      }
      let rules = state.ledger.rules.current?.rules(on: window.day)
      let catalogue = rules?.catalogue.categories.flatMap(\.items) ?? []
      if let stranger = reward.items.first(where: { !catalogue.contains($0) }) {
        throw Problem.noSuchItem(stranger)
      }
      let key = HandKey.manual(id: id).text(user: user)
      let draft = Draft([
        .operator(
          OperatorRecord(
            act: .grant, subject: key, what: reward.text, reason: reason, actor: actor)),
        .grant(
          GrantRecord(
            key: key, user: user, day: window.day, mission: "manual", effective: now,
            rules: rules?.version ?? "", reward: reward, evidence: [], cause: "manual")),
      ])
      return LedgerWriter.Proposal([draft]) { _, records in (index, AppendCounts(records)) }
    }
    if counts.appended == 0 { return counts }
    var all = counts
    all += try await OpenDayEvaluation(writer).run(over: [index])
    return all
  }
}
