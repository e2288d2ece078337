import CivilTime
import Engine
import Failures
import Ledger
package import RewardRules

/// Grants users rewards manually.
package struct ManualGift: Sendable {
  private let writer: LedgerWriter

  /// Creates the act for this writer's ledger.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Grants a user a reward under `USER/manual/ID` for the user's running day. Returns the records appended,
  /// including those that follow from it; none if the key is already used.
  ///
  /// The act and the grant share a seal. Throws ``Failures/Failure`` if it is refused, or ``HandExcess`` if it takes two people who have
  /// not agreed on `request`, and then nothing was written; or the ledger's error.
  package func give(
    _ reward: Reward, to user: String, id: String, reason: String, actor: String,
    request: String? = nil
  ) async throws -> AppendCounts {
    let (index, counts) = try await writer.change(.all) { state in
      guard let index = state.ledger.index(of: user), state.ledger.accounts[index].isPresent
      else { throw Failure.noMember(user) }
      let account = state.ledger.accounts[index]
      let place = "user \"\(user)\""
      if let why = account.stopped {
        throw Failure(
          .badData, "the user is not judged: \(why)", place: place,
          remedy: "See rewards audit; nothing was appended.")
      }
      if account.manualIDs.contains(id) {
        return LedgerWriter.Proposal([]) { _, _ in (index, AppendCounts()) }
      }
      let now = state.clock.now()
      guard let window = try state.openWindows(of: index, through: now).last else {
        let isNew = account.boundary == account.firstInstant
        throw Failure(
          .badData,
          isNew
            ? "the user's first judged day, \(account.firstDay), has not begun"
            : "the user's next judged day begins at \(account.nextDay(after: account.boundary))",
          place: place, remedy: "Grant it once that day has begun.")
      }
      let rules = state.ledger.rules.current?.rules(on: window.day)
      let catalogue = rules?.catalogue.categories.flatMap(\.items) ?? []
      if let stranger = reward.items.first(where: { !catalogue.contains($0) }) {
        throw Failure(
          .badData, "the catalogue of the rules in force has no \"\(stranger)\"", place: "--item",
          remedy: "See rewards rules show; items are written CATEGORY/ITEM.")
      }
      let key = HandKey.manual(id: id).text(user: user)
      var act = OperatorRecord(
        act: .grant, subject: key, what: reward.text, reason: reason, actor: actor)
      act.request = request
      let grant = RecordBody.grant(
        GrantRecord(
          key: key, user: user, day: window.day, mission: OtherMission.manual.rawValue,
          effective: now, rules: rules?.version ?? "", reward: reward, evidence: [],
          cause: "manual"))
      let given = grant.givenByHand(state.ledger.rules)
      if !(request != nil && state.ledger.isAgreed(.gift(reward, under: key, reason: reason))),
        let excess = state.ledger.handLimits.excess(ofGift: given)
          ?? state.ledger.excess(
            ofMonth: given, to: user, all: given, by: actor, at: max(now, state.ledger.at))
      {
        throw HandExcess(text: excess)
      }
      return LedgerWriter.Proposal([Draft([.operator(act), grant.ofActBefore])]) { _, records in
        (index, AppendCounts(records))
      }
    }
    if counts.appended == 0 { return counts }
    var all = counts
    all += try await OpenDayEvaluation(writer).run(over: [index])
    return all
  }
}
