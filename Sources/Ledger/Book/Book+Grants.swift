import CivilTime
import Evidence
import RewardRules

extension Book {
  mutating func apply(_ rules: RulesRecord) {
    drawKey = rules.drawKey
    add(ruleText: rules.document)
  }

  /// Puts a document into use. The ledger holds only documents that were checked when they were loaded.
  mutating func add(ruleText text: String) {
    ruleTexts.append(text)
    rules = try? RuleBook(documents)
  }

  mutating func apply(_ evidence: EvidenceRecord, seq: UInt64) {
    let activity = SeenActivity(
      kind: evidence.kind, from: evidence.from, to: evidence.to, isOpen: evidence.open)
    withAccount(of: evidence.user) { account in
      // What reaches over the boundary comes late for the closed day, and in time for the open one.
      if activity.from < account.boundary {
        account.lateEvidence.append(activity)
        let days = account.closedDays(touchedBy: activity)
        for number in days.lowerBound.number...days.upperBound.number {
          account.noteEvidence(of: activity.kind, onClosed: Day(number: number))
        }
      }
      if activity.from >= account.boundary || activity.to > account.boundary {
        account.evidence.append(RecordedEvidence(activity: activity, seq: seq))
      }
    }
  }

  mutating func apply(_ credit: CreditRecord) {
    withAccount(of: credit.user) { account in
      if let id = credit.id { account.creditIDs.insert(id) }
      // A credit for a closed day takes effect where the open days begin.
      account.credits.append(
        Credit(
          effective: max(credit.effective, account.boundary), exp: credit.exp, items: credit.items))
    }
  }

  mutating func apply(_ grant: GrantRecord) {
    let caps = caps(on: grant.day)
    let seq = seq
    withAccount(of: grant.user) { $0.apply(grant, seq: seq, caps: caps) }
  }

  mutating func apply(_ reversal: ReversalRecord) {
    guard let account = account(of: reversal.user) else { return }
    let caps = caps(on: account.boundaryDay)
    let seq = seq
    withAccount(of: reversal.user) { $0.apply(reversal, seq: seq, caps: caps) }
  }

  mutating func apply(_ refused: RefusedRecord) {
    guard let user = refused.user else { return }
    withAccount(of: user) { account in
      switch refused.what {
      case .heldBack:
        guard let key = refused.key.flatMap({ RewardKey(text: $0) }) else { return }
        account.heldBack.insert(key)
        // The day counts although its reward waits.
        if case .login(let day) = key, let streak = refused.streak {
          account.mark(DayMark(day: day, what: nil, after: streak))
        }
      case .keyConflict: account.stopped = refused.detail
      case .badEvidence, .lyingAnswer, .lateEvidence: account.refusals.insert(refused.detail)
      }
    }
  }

  mutating func apply(_ act: OperatorRecord) {
    switch act.act {
    case .release:
      guard let key = RewardKey(text: act.subject),
        let user = act.subject.split(separator: "/").first
      else { return }
      withAccount(of: String(user)) { $0.release(key) }
    case .grant: break
    case .acceptClock: acceptedClock = at
    case .confirmClose: confirmedCloses.insert(act.subject)
    case .pause:
      pauses[act.subject] = PauseMark(since: at, reason: act.reason, actor: act.actor)
    case .resume: pauses[act.subject] = nil
    }
  }
}

extension Int64 {
  /// The sum, stopped at the ends of 64 bits; no balance of the app comes near them.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
