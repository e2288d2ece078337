import CivilTime
import Digests
package import Ledger
package import RewardRules

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

  /// Returns whether two actors may be the same person. An account whose name is given once and omitted the other time distinguishes
  /// nobody.
  private static func mayBeSamePerson(
    _ one: String, _ other: String, _ limits: HandLimits
  ) -> Bool {
    let people = [one, other].map(limits.person)
    return people[0] == people[1] || isNameless(people[0], in: people[1])
      || isNameless(people[1], in: people[0])
  }

  /// Returns whether a request was made and approved by two people.
  package static func isOfTwoPeople(_ mark: RequestMark, _ limits: HandLimits) -> Bool {
    guard let approver = mark.approver else { return false }
    if isRequestedByDoor(mark) { return false }
    return isRequestedBySource(mark) || !mayBeSamePerson(mark.actor, approver, limits)
  }

  /// The actor of what somebody has put into the inbox's folder.
  package static let inboxDoor = "inbox"

  /// Whether nobody knows who made a request: somebody must make it again before another person can approve it.
  package static func isRequestedByDoor(_ request: RequestMark) -> Bool {
    request.actor == inboxDoor && !isRequestedBySource(request)
  }

  /// Returns whether one of two people, written without spaces, is the account of the other, who gives a name too.
  private static func isNameless(_ person: String, in account: String) -> Bool {
    account.hasSuffix("(account\(person))")
  }

  /// Returns the standing request for it that `actor` need not repeat; nil if there is none. Where names distinguish people, a request
  /// without one is repeated with one, so that somebody else with the same account may approve it.
  func request(standingFor actor: String, in ledger: LedgerState) -> RequestMark? {
    guard let request = ledger.requests.all[id],
      request.approver == nil || ledger.isAgreed(id)
    else { return nil }
    if Self.isRequestedByDoor(request), actor != Self.inboxDoor { return nil }
    let limits = ledger.handLimits
    return Self.isNameless(limits.person(request.actor), in: limits.person(actor))
      ? nil : request
  }

  /// Returns why `approver` cannot approve it; nil if they can.
  func objection(to approver: String, in ledger: LedgerState) -> SecondActor.Problem? {
    guard let request = ledger.requests.all[id], !Self.isRequestedByDoor(request) else {
      return .notRequested(id: id)
    }
    let limits = ledger.handLimits
    return Self.mayBeSamePerson(request.actor, approver, limits)
      ? .sameActor(id: id, asked: request.actor, actor: approver, by: limits.by) : nil
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

  private static let ofSource = "a credit line of the source "

  /// Whether a source has requested an act, and no person.
  package static func isRequestedBySource(_ request: RequestMark) -> Bool {
    request.reason.hasPrefix(ofSource)
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
      reason: source.map { "\(ofSource)\($0) beyond its limits" }
        ?? "a credit line beyond the limits for one person")
  }

  /// Returns the act of importing opening balances and days that have ended, from `lines` of a roster.
  package static func opening(_ lines: [String], _ what: String) -> BigAct {
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

  /// Returns the act of putting a rules document into use.
  package static func rules(_ document: RulesDocument) -> BigAct {
    BigAct(
      what: "\(rulesWords(document.summary))\(document.sha256)",
      reason:
        "up to \(document.bestDay.text) in a day, and \(document.largestGrant.text) in one grant")
  }

  /// Returns the words of the act of putting a document into use, before its hash; `summary` as in the record of the act.
  private static func rulesWords(_ summary: String) -> String { "rules \(summary), SHA-256 " }

  /// Returns the act of setting what one person may give.
  package static func limits(_ limits: HandLimits) -> BigAct {
    BigAct(what: "limits \(limits)", reason: "named in the configuration")
  }

  /// Returns whether a record does what was requested.
  package static func isRequested(_ body: RecordBody, by mark: RequestMark) -> Bool {
    switch body {
    case .credit(let record): return credit(record).what == mark.what
    case .operator(let act):
      let words = act.what ?? ""
      switch act.act {
      case .grant: return mark.what == giftWords(act.subject, words)
      case .bringIn: return mark.what.hasPrefix(openingWords(words))
      case .limits: return act.limits.map { limits($0).what == mark.what } ?? false
      case .rules: return mark.what.hasPrefix(rulesWords(words))
      case .excuse: return mark.what == pardonWords(act.subject) + words
      case .broadcast: return mark.what == "\(broadcastWord) \(words)"
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
