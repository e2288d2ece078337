import CivilTime
import Digests
package import Ledger
package import RewardRules
import SSHSignatures

/// An act that one person may not do alone, with the id by which a second person approves it.
package struct BigAct: Sendable, Equatable {
  /// The act, in words that distinguish it from every other.
  package let what: String
  /// The reason given.
  package let reason: String

  package init(what: String, reason: String) {
    self.what = what
    self.reason = reason
  }

  /// The id, which is the same for the same act and reason, whoever requests it.
  package var id: String {
    String(SHA256.digest(of: Array("\(what)\n\(reason)".utf8)).description.prefix(12))
  }

  /// Returns whether a request is one for this act: an id is too short to say so.
  func isRequested(by mark: RequestMark) -> Bool { mark.what == what && mark.reason == reason }

  /// Returns the request for it that was not carried out yet; nil without one.
  private func unused(in ledger: LedgerState) -> RequestMark? {
    ledger.requests.all[id].flatMap { isRequested(by: $0) && !$0.isUsed ? $0 : nil }
  }

  /// Returns whether it was carried out as requested.
  func isDone(in ledger: LedgerState) -> Bool {
    ledger.requests.all[id].map { isRequested(by: $0) && $0.isUsed } ?? false
  }

  /// Returns the standing request that `actor` need not repeat; nil if there is none. It may be one for another act that happens to have the
  /// same id, which is never replaced under the eyes of whoever approves it. What nobody has requested, a person
  /// requests again; what somebody declined, only a person. Where names distinguish people, a request without one is repeated with one, so
  /// that somebody else with the same account may approve it.
  func request(standingFor actor: String, in ledger: LedgerState) -> RequestMark? {
    let limits = ledger.handLimits
    let isPerson = !Self.isNobody(actor, in: reason) && limits.isKnown(actor, isSigned: false)
    guard let mark = ledger.requests.all[id] else { return nil }
    let isOpen = mark.isWaiting || ledger.isAgreed(mark)
    if !isRequested(by: mark) { return isOpen ? mark : nil }
    if mark.isDeclined { return Self.isNobody(actor, in: reason) ? mark : nil }
    guard isOpen else { return nil }
    if isPerson, mark.isOfNobody(limits) { return nil }
    return isPerson && limits.isNameless(mark.actor, in: actor) ? nil : mark
  }

  /// Returns the request of the configuration for it, which may stand already and then is nil, and whether it waits: what somebody declined
  /// does not.
  func proposal(in ledger: LedgerState) -> (request: RecordBody?, waits: Bool) {
    let door = Door.configuration.rawValue
    let standing = request(standingFor: door, in: ledger)
    return (standing == nil ? record(.request, by: door) : nil, standing?.isDeclined != true)
  }

  /// Returns why `actor` cannot approve it; nil if they can. `signature` is the one by which they are known.
  func objection(
    to actor: String, signature: String? = nil, in ledger: LedgerState
  ) -> SecondActor.Problem? {
    let limits = ledger.handLimits
    guard let mark = unused(in: ledger), !mark.isDeclined else { return .notRequested(id: id) }
    if !limits.isKnown(actor, isSigned: signature != nil) { return .unsigned(id: id) }
    if mark.isOfNobody(limits) { return .notRequested(id: id) }
    return limits.mayBeSamePerson(mark.actor, actor)
      ? .sameActor(id: id, asked: mark.actor, actor: actor, by: limits.by) : nil
  }

  /// Returns whether `actor` may make a request theirs: one of nobody, or one that somebody declined. What was signed before that says
  /// nothing any more.
  func isOpen(
    to actor: String, signature: String?, in ledger: LedgerState
  ) -> Bool {
    let limits = ledger.handLimits
    guard let mark = unused(in: ledger) else { return false }
    return limits.isKnown(actor, isSigned: signature != nil)
      && (mark.isDeclined ? signature == nil : mark.isOfNobody(limits))
  }

  /// Returns the record of `kind`, a request, an approval or a refusal, by `actor`, known by a signature if there is one.
  func record(
    _ kind: OperatorRecord.Act, by actor: String, signature: String? = nil
  ) -> RecordBody {
    var record = OperatorRecord(
      act: kind, subject: id, what: what, reason: reason, actor: actor)
    record.signature = signature
    return .operator(record)
  }
}

extension BigAct {
  /// Returns the act of granting `reward` under `key`.
  package static func gift(_ reward: Reward, under key: String, reason: String) -> BigAct {
    BigAct(what: giftWords(key, reward.text), reason: reason)
  }

  private static func giftWords(_ key: String, _ reward: String) -> String {
    "grant \(key): \(reward)"
  }

  /// The first word of the act of telling everybody something.
  package static let broadcastWord = "broadcast"

  /// Returns the act of telling everybody something.
  package static func broadcast(_ broadcast: Broadcast, reason: String) -> BigAct {
    BigAct(what: "\(broadcastWord) \(broadcast.text)", reason: reason)
  }

  /// The reason of a source's credit line, before and behind the source's name.
  private static let sourceReason = (
    before: "a credit line of the source ", behind: " beyond its limits"
  )

  /// Returns the source whose credit line takes two people, from the reason of the request; nil if it is no source's.
  static func source(in reason: String) -> String? {
    guard reason.hasPrefix(sourceReason.before), reason.hasSuffix(sourceReason.behind) else {
      return nil
    }
    return String(
      reason.dropFirst(sourceReason.before.count).dropLast(sourceReason.behind.count))
  }

  /// Returns whether `actor`, who requests an act for `reason`, is no person: a file that anybody may have written.
  static func isNobody(_ actor: String, in reason: String) -> Bool {
    Door(rawValue: actor) != nil || actor == source(in: reason)
  }

  /// Returns the act of accepting a credit line that gives more than its source may, or, with nil, than one person may.
  package static func credit(_ record: CreditRecord, of source: String? = nil) -> BigAct {
    let credit = record.credit
    var things = ["\(credit.amounts.exp) exp"]
    things += RewardUnit.held.filter { credit.amounts[$0] != 0 }
      .map { "\(credit.amounts[$0]) \($0.rawValue)" }
    if credit.boosterDays != 0 { things.append("\(credit.boosterDays) booster days") }
    things += credit.items
    return BigAct(
      what:
        "credit \(record.user) \(things.joined(separator: " ")) at \(credit.effective), id \(record.id ?? "")",
      reason: source.map { sourceReason.before + $0 + sourceReason.behind }
        ?? "a credit line beyond the limits for one person")
  }

  /// Returns the act of importing opening balances and days that have ended: `users` are the records that name the act, in any order, and
  /// `what` sums them up. The act is the same on every day.
  package static func opening(of users: [UserRecord], _ what: String) -> BigAct {
    let lines = users.map(\.told)
    let digest = SHA256.digest(of: Array(lines.sorted().joined(separator: "\n").utf8))
    return BigAct(
      what: openingWords(what) + digest.description.prefix(16),
      reason: "from before the ledger began")
  }

  private static func openingWords(_ what: String) -> String { "import \(what); entries " }

  /// Returns the act of pardoning days: `period` and `scope` as in the record of the act.
  package static func pardon(_ period: String, _ scope: String, reason: String) -> BigAct {
    BigAct(what: pardonWords(period) + scope, reason: reason)
  }

  /// Returns the words of the act of pardoning days, before those of whom it concerns.
  package static func pardonWords(_ period: String) -> String { "excuse \(period): " }

  /// Returns the words of the act of applying a plan, before its amounts.
  package static func planWords(_ id: String) -> String { "apply the plan \(id): " }

  /// Returns the act of letting through a grant held back by a limit, which gives `amounts`.
  package static func release(_ key: String, _ amounts: Amounts, reason: String) -> BigAct {
    BigAct(what: releaseWords(key) + amounts.text, reason: reason)
  }

  private static func releaseWords(_ key: String) -> String { "release \(key): " }

  /// Returns the act of taking a grant back, or of undoing that: `what` names the grant, the amounts and the line as of which.
  package static func reversal(isUndone: Bool, of what: String, reason: String) -> BigAct {
    BigAct(what: reversalWords[isUndone ? 1 : 0] + what, reason: reason)
  }

  private static let reversalWords = ["reverse ", "give back "]

  /// Returns the act of putting a rules document into use.
  package static func rules(_ document: RulesDocument) -> BigAct {
    BigAct(
      what: "\(rulesWords(document.summary))\(document.sha256)",
      reason:
        "up to \(document.bestDayWithLevels.text) in a day, and \(document.largestGrant.text) in one grant"
    )
  }

  /// Returns the words of the act of putting a document into use, before its hash; `summary` as in the record of the act.
  private static func rulesWords(_ summary: String) -> String { "rules \(summary), SHA-256 " }

  /// Returns the act of setting what one person may give.
  package static func limits(_ limits: HandLimits) -> BigAct {
    BigAct(what: "limits \(limits)", reason: "named in the configuration")
  }

  /// Returns the act of setting whose signatures count: `text` is an `allowed_signers` file.
  package static func signers(_ text: String) -> BigAct {
    let bytes = Array(text.utf8)
    let signers = AllowedSigners(bytes).signers.map(\.words)
    let more = signers.count - namedSigners
    let names = signers.prefix(namedSigners) + (more > 0 ? ["\(more) more"] : [])
    return BigAct(
      what: "signers \(names.joined(separator: ", ")); SHA-256 \(SHA256.digest(of: bytes))",
      reason: "named in the configuration")
  }

  /// The most signers that a request names.
  private static let namedSigners = 20

  /// Returns the act of setting which programs may hand in inbox lines.
  package static func sources(_ sources: [InboxSource]) -> BigAct {
    BigAct(what: "sources \(sources.text)", reason: "named in the configuration")
  }

  /// Returns whether what was requested stands in the configuration, and comes into use once it is agreed on.
  package static func isConfigured(_ mark: RequestMark) -> Bool {
    ["limits ", "rules ", "signers ", "sources "].contains { mark.what.hasPrefix($0) }
  }

  /// Returns whether a record does what was requested.
  package static func isRequested(_ body: RecordBody, by mark: RequestMark) -> Bool {
    switch body {
    case .credit(let record):
      return credit(record).what == mark.what && record.sender == source(in: mark.reason)
    case .operator(let act):
      let words = act.what ?? ""
      switch act.act {
      case .grant: return mark.what == giftWords(act.subject, words)
      case .release: return mark.what.hasPrefix(releaseWords(act.subject))
      case .bringIn: return mark.what.hasPrefix(openingWords(words))
      case .limits: return act.limits.map { limits($0).what == mark.what } ?? false
      case .signers: return act.signers.map { signers($0).what == mark.what } ?? false
      case .sources: return act.sources.map { sources($0).what == mark.what } ?? false
      case .rules: return mark.what.hasPrefix(rulesWords(words))
      case .excuse: return mark.what == pardonWords(act.subject) + words
      case .broadcast: return mark.what == "\(broadcastWord) \(words)"
      // A reversal is a plan that is made when it is applied.
      case .apply:
        return mark.what.hasPrefix(planWords(act.subject))
          || reversalWords.contains { mark.what.hasPrefix($0) }
      default: return false
      }
    default: return false
    }
  }

  /// The acts approved by a second person, whatever the reason.
  package struct Approvals: Sendable {
    private let whats: Set<String>

    /// Creates the approvals in a ledger.
    package init(_ requests: RequestMarks) {
      whats = Set(requests.all.values.lazy.filter { $0.approver != nil }.map(\.what))
    }

    /// Returns whether an act is approved.
    package func holds(_ act: BigAct) -> Bool { whats.contains(act.what) }
  }
}
