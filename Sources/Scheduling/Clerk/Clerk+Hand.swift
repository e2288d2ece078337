public import CivilTime
import Digests
import Evidence
internal import Ledger
public import RewardRules

extension Clerk {
  /// Why a grant by hand is refused; nothing was written.
  public enum HandProblem: Error, Sendable, Equatable {
    /// The ledger does not know the user, or the user has left.
    case noSuchUser
    /// The user is not judged, and why.
    case stopped(String)
    /// The user's first judged day has not begun.
    case notYet(first: Day)
    /// No such items are in the catalogue of the rules in force.
    case noSuchItem(String)
  }

  /// Gives a user something by hand, under `USER/manual/ID`, for the day that runs at the user's; returns what was appended,
  /// what hangs on it included: nothing when something stands under that key already.
  ///
  /// The act and the grant share a seal. Throws ``HandProblem``, or what the ledger throws.
  public func grant(
    _ reward: Reward, to user: String, id: String, reason: String, actor: String
  ) async throws -> Tally {
    let (index, tally) = try await inTurn { clerk in
      guard let index = clerk.desk.book.index(of: user),
        !clerk.desk.book.accounts[index].isRemoved
      else { throw HandProblem.noSuchUser }
      let account = clerk.desk.book.accounts[index]
      if let why = account.stopped { throw HandProblem.stopped(why) }
      if account.manualIDs.contains(id) { return (index, Tally()) }
      let now = clerk.clock.now()
      guard let window = try clerk.desk.windows(of: index, through: now).last else {
        throw HandProblem.notYet(first: account.firstDay)
      }
      let rules = clerk.desk.context.rules.rules(on: window.day)
      let catalogue = rules?.catalogue.categories.flatMap(\.items) ?? []
      if let stranger = reward.items.first(where: { !catalogue.contains($0) }) {
        throw HandProblem.noSuchItem(stranger)
      }
      let key = HandKey.manual(id: id).text(user: user)
      var draft = Draft()
      draft.bodies = [
        .operator(OperatorRecord(act: .grant, subject: key, reason: reason, actor: actor)),
        .grant(
          GrantRecord(
            key: key, user: user, day: window.day, mission: "manual", effective: now,
            rules: rules?.version ?? "", reward: reward, evidence: [], cause: "manual")),
      ]
      return (index, Tally(try await clerk.commit([draft])))
    }
    if tally.appended == 0 { return tally }
    var all = tally
    all += try await judgeOpenDays(of: [index])
    return all
  }
}
