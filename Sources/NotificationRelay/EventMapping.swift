import CivilTime
import Described
package import Ledger
import RewardRules

/// Turns records into events. Pure: the same record with the same past always gives the same bytes and ids.
package struct EventMapping: Sendable {
  private let ledger: String

  /// Creates a mapping for the ledger with this id.
  package init(ledger: String) { self.ledger = ledger }

  /// Returns whether a grant makes an event: an adjustment of the streak alone gives and takes nothing, so it makes none.
  package static func makesEvent(for grant: GrantRecord) -> Bool {
    grant.reward.isSomething || !grant.removedItems.isEmpty || !grant.isAdjustment
  }

  /// Returns the events of a record, in order; none for most types. `before` is the earlier state of its key, `title` what its rules
  /// call its mission.
  func events(
    of record: Record, before: KeyBalance = KeyBalance(), title: LocalizedText? = nil
  ) -> [CloudEvent] {
    switch record.body {
    case .grant(let grant):
      guard Self.makesEvent(for: grant) else { return [] }
      let granted = event(
        record, .rewardGranted, id: grant.key, subject: grant.user,
        data: EventData.granted.text(of: (grant, title, before)))
      guard let streak = grant.streak, !grant.isAdjustment else { return [granted] }
      let extended = event(
        record, .streakExtended, subject: grant.user,
        data: EventData.streak.text(of: (grant.day, nil, streak)))
      return [granted, extended]
    case .reversal(let reversal):
      return [
        event(
          record, .rewardReversed,
          id: Self.id(of: reversal, before), subject: reversal.user,
          data: EventData.reversed.text(of: (reversal, before, before.after(record.body))))
      ]
    case .streak(let streak):
      guard let type = streak.what.eventType else { return [] }
      return [
        event(
          record, type, subject: streak.user,
          data: EventData.streak.text(of: (streak.day, streak.before, streak.after)))
      ]
    case .message(let message): return [event(of: message, record)]
    case .level(let level) where level.exp == nil:
      return [
        event(
          record, .levelReached, subject: level.user,
          data: EventData.level.text(of: level))
      ]
    case .run(let run):
      guard let type = run.eventType else { return [] }
      return [event(record, type, subject: nil, data: EventData.run.text(of: run))]
    case .operator(let act) where act.act == .broadcast:
      guard let broadcast = Broadcast(act) else { return [] }
      return [
        event(record, .broadcast, subject: nil, data: EventData.broadcast.text(of: broadcast))
      ]
    case .user(let user) where user.forgotten:
      return [
        event(
          record, .userForgotten, subject: user.user, data: EventData.forgotten.text(of: user))
      ]
    case .close(let close):
      return [
        event(
          record, .dayClosed, subject: nil, data: EventData.close.text(of: close),
          head: "\(close.head.seq):\(close.head.hash)")
      ]
    default: return []
    }
  }

  private func event(
    _ record: Record, _ type: EventType, id: String? = nil, subject: String?, data: String,
    head: String? = nil
  ) -> CloudEvent {
    CloudEvent(
      id: id ?? "\(ledger)/\(record.seq)", source: "urn:uuid:\(ledger)",
      type: type, subject: subject, time: record.at, data: data,
      ledgerHead: head)
  }

  private func event(of message: MessageRecord, _ record: Record) -> CloudEvent {
    switch message.what {
    case .streakAtRisk:
      var atRisk = event(
        record, .streakAtRisk, subject: message.user,
        data: EventData.atRisk.text(of: message))
      atRisk.pointlessFrom = message.end
      return atRisk
    case .backfilled:
      return event(
        record, .backfillSummary, subject: message.user,
        data: EventData.backfilled.text(of: message))
    }
  }

  /// Returns `KEY!reversed` or `KEY!restored`, numbered from the second time on.
  private static func id(of reversal: ReversalRecord, _ before: KeyBalance) -> String {
    let number = (reversal.undone ? before.restorations : before.reversals) + 1
    let word = reversal.undone ? "restored" : "reversed"
    return "\(reversal.key)!\(word)\(number == 1 ? "" : ".\(number)")"
  }
}

extension RunRecord {
  /// The event that reports a run to the service's monitors; nil if the run went as it should.
  fileprivate var eventType: EventType? {
    switch outcome {
    case "missed": .jobMissed
    case "timeout", "failed": .jobFailed
    case "attention":
      counts.contains { $0.name == "findings" && $0.value > 0 } ? .auditFound : nil
    default: nil
    }
  }
}

extension StreakChange {
  /// The event that reports the change to the user; nil for an excused day.
  fileprivate var eventType: EventType? {
    switch self {
    case .broken: .streakBroken
    case .held: .streakHeld
    case .repaired: .streakRepaired
    case .excused: nil
    }
  }
}
