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

  /// Returns the events of a record, in order; none for most types. `before` is the earlier state of its key.
  func events(of record: Record, before: KeyBalance = KeyBalance()) -> [CloudEvent] {
    switch record.body {
    case .grant(let grant):
      guard Self.makesEvent(for: grant) else { return [] }
      let granted = event(
        record, "reward.granted", id: grant.key, subject: grant.user,
        data: EventData.granted.text(of: (grant, before)))
      guard let streak = grant.streak, !grant.isAdjustment else { return [granted] }
      let extended = event(
        record, "streak.extended", subject: grant.user,
        data: EventData.streak.text(of: (grant.day, nil, streak)))
      return [granted, extended]
    case .reversal(let reversal):
      return [
        event(
          record, "reward.reversed",
          id: Self.id(of: reversal, before), subject: reversal.user,
          data: EventData.reversed.text(of: (reversal, before, before.after(record.body))))
      ]
    case .streak(let streak) where streak.what != .excused:
      return [
        event(
          record, "streak.\(streak.what.rawValue)", subject: streak.user,
          data: EventData.streak.text(of: (streak.day, streak.before, streak.after)))
      ]
    case .message(let message): return [event(of: message, record)]
    case .level(let level) where level.exp == nil:
      return [
        event(
          record, "level.reached", subject: level.user,
          data: EventData.level.text(of: level))
      ]
    case .run(let run):
      guard let name = run.eventName else { return [] }
      return [
        event(
          record, name, subject: nil, data: EventData.run.text(of: run))
      ]
    case .close(let close):
      return [
        event(
          record, "day.closed", subject: nil, data: EventData.close.text(of: close),
          head: "\(close.head.seq):\(close.head.hash)")
      ]
    default: return []
    }
  }

  private func event(
    _ record: Record, _ name: String, id: String? = nil, subject: String?, data: String,
    head: String? = nil
  ) -> CloudEvent {
    CloudEvent(
      id: id ?? "\(ledger)/\(record.seq)", source: "urn:uuid:\(ledger)",
      type: EventType.full(name), subject: subject, time: record.at, data: data,
      ledgerHead: head)
  }

  private func event(of message: MessageRecord, _ record: Record) -> CloudEvent {
    switch message.what {
    case .streakAtRisk:
      var atRisk = event(
        record, "streak.at-risk", subject: message.user,
        data: EventData.atRisk.text(of: message))
      atRisk.pointlessFrom = message.end
      return atRisk
    case .backfilled:
      return event(
        record, "backfill.summary", subject: message.user,
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
  fileprivate var eventName: String? {
    switch outcome {
    case "missed": "operations.job-missed"
    case "timeout", "failed": "operations.job-failed"
    case "attention":
      counts.contains { $0.name == "findings" && $0.value > 0 } ? "operations.audit-found" : nil
    default: nil
    }
  }
}
