import CivilTime
public import Ledger
import RewardRules
import StrictJSON

/// Turns records into events. Pure: the same record with the same past always gives the same bytes and ids.
public struct EventMapping: Sendable {
  private let ledger: String

  /// Creates a mapping for the ledger with this id.
  public init(ledger: String) { self.ledger = ledger }

  /// Returns whether a grant makes an event: an adjustment of the streak alone gives and takes nothing, so it makes none.
  public static func tells(of grant: GrantRecord) -> Bool {
    grant.reward.isSomething || !grant.removedItems.isEmpty || !grant.isAdjustment
  }

  /// Returns the events of a record, in order; none for most types. `before` is the earlier state of its key.
  func events(of record: Record, before: KeyBalance = KeyBalance()) -> [CloudEvent] {
    switch record.body {
    case .grant(let grant):
      guard Self.tells(of: grant) else { return [] }
      let granted = event(
        record, "reward.granted", id: grant.key, subject: grant.user,
        data: Self.data(of: grant, before))
      guard let streak = grant.streak, !grant.isAdjustment else { return [granted] }
      let extended = event(
        record, "streak.extended", subject: grant.user,
        data: Self.data(day: grant.day, before: nil, after: streak))
      return [granted, extended]
    case .reversal(let reversal):
      return [
        event(
          record, "reward.reversed",
          id: Self.id(of: reversal, before), subject: reversal.user,
          data: Self.object { writer in
            writer.member("key", reversal.key)
            writer.member("undone", reversal.undone)
            Self.write(reversal.reward, removing: reversal.removedItems, to: &writer)
            Self.write(before, "before", to: &writer)
            Self.write(before.after(record.body), "now", to: &writer)
            writer.member("reason", reversal.reason)
          })
      ]
    case .streak(let streak) where streak.what != .excused:
      return [
        event(
          record, "streak.\(streak.what.rawValue)", subject: streak.user,
          data: Self.data(day: streak.day, before: streak.before, after: streak.after))
      ]
    case .message(let message): return [event(of: message, record)]
    case .level(let level) where level.exp == nil:
      return [
        event(
          record, "level.reached", subject: level.user,
          data: Self.object {
            $0.member("level", level.level)
            $0.member("effective", level.effective.description)
          })
      ]
    case .run(let run):
      guard let name = run.eventName else { return [] }
      return [
        event(
          record, name, subject: nil,
          data: Self.object { writer in
            writer.member("job", run.job)
            writer.member("zone", run.zone)
            writer.member("nominal", run.nominal.description)
            writer.member("outcome", run.outcome)
            if let reason = run.reason { writer.member("reason", reason) }
            writer.object("counts") { json in
              for count in run.counts { json.member(count.name, count.value) }
            }
          })
      ]
    case .close(let close):
      return [
        event(
          record, "day.closed", subject: nil, data: Self.data(of: close),
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
        data: Self.object {
          $0.member("day", message.day?.description)
          $0.member("length", message.streak?.length ?? 0)
          $0.member("cycleDay", message.streak?.cycleDay ?? 0)
          $0.member("end", message.end?.description)
          $0.member("knownThrough", message.knownThrough?.description)
        })
      atRisk.pointlessFrom = message.end
      return atRisk
    case .backfilled:
      return event(
        record, "backfill.summary", subject: message.user,
        data: Self.object {
          $0.member("plan", message.plan)
          message.amounts.writeMembers(to: &$0)
          $0.member("items", message.items)
          $0.member("removedItems", message.removedItems)
          $0.member("boosterUntil", message.boosterUntil?.description)
        })
    }
  }

  private static func object(_ members: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    members(&writer)
    writer.endObject()
    return writer.text
  }

  /// Returns `KEY!reversed` or `KEY!restored`, numbered from the second time on.
  private static func id(of reversal: ReversalRecord, _ before: KeyBalance) -> String {
    let number = (reversal.undone ? before.restorations : before.reversals) + 1
    let word = reversal.undone ? "restored" : "reversed"
    return "\(reversal.key)!\(word)\(number == 1 ? "" : ".\(number)")"
  }

  private static func write(
    _ reward: Reward, removing removed: [String], to writer: inout JSONWriter
  ) {
    reward.amounts.writeMembers(to: &writer)
    writer.member("items", reward.items)
    if !removed.isEmpty { writer.member("removedItems", removed) }
  }

  private static func write(_ standing: KeyBalance, _ name: String, to writer: inout JSONWriter) {
    writer.object(name) {
      standing.amounts.writeMembers(to: &$0)
      $0.member("items", standing.items)
    }
  }

  private static func data(of grant: GrantRecord, _ before: KeyBalance) -> String {
    object { writer in
      writer.member("key", grant.key)
      writer.member("day", grant.day.description)
      writer.member("mission", grant.mission)
      writer.member("effective", grant.effective.description)
      write(grant.reward, removing: grant.removedItems, to: &writer)
      if let booster = grant.reward.booster {
        writer.object("booster") {
          $0.member("from", booster.from.description)
          $0.member("until", booster.until.description)
        }
      }
      if grant.isAdjustment {
        writer.member("adjusts", grant.baseKey)
        write(before, "before", to: &writer)
        write(before.after(.grant(grant)), "now", to: &writer)
      }
      writer.member("cause", grant.cause)
    }
  }

  private static func data(day: Day, before: StreakMark?, after: StreakMark) -> String {
    object { writer in
      writer.member("day", day.description)
      if let before { writer.member("lengthBefore", before.length) }
      writer.member("length", after.length)
      writer.member("cycleDay", after.cycleDay)
    }
  }

  private static func data(of close: CloseRecord) -> String {
    object { writer in
      writer.member("zone", close.zone)
      writer.member("day", close.window.day.description)
      writer.member("start", close.window.start.description)
      writer.member("end", close.window.end.description)
      writer.member("users", close.users)
      writer.member("points", close.points)
      writer.member("exp", close.exp)
      writer.member("unknown", close.counts.unknown)
      writer.member("broken", close.counts.broken)
    }
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
