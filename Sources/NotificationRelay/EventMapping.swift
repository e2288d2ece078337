import CivilTime
public import Ledger
import RewardRules
import StrictJSON

/// Makes events of records. Pure: the same record always gives the same events with the same ids.
public struct EventMapping: Sendable {
  private let ledger: String

  /// The mapping for the ledger with this id.
  public init(ledger: String) { self.ledger = ledger }

  /// The events of a record, in order; none for most types.
  public func events(of record: Record) -> [CloudEvent] {
    switch record.body {
    case .grant(let grant):
      // An adjustment of the streak alone gives and takes nothing.
      guard grant.reward.isSomething || !grant.removedItems.isEmpty || !grant.isAdjustment
      else {
        return []
      }
      let granted = event(
        record, "reward.granted", id: grant.key, subject: grant.user, data: Self.data(of: grant))
      guard let streak = grant.streak, !grant.isAdjustment else { return [granted] }
      let extended = event(
        record, "streak.extended", subject: grant.user,
        data: Self.data(day: grant.day, before: nil, after: streak))
      return [granted, extended]
    case .reversal(let reversal):
      return [
        event(
          record, "reward.reversed",
          id: "\(reversal.key)!reversed\(reversal.undone ? "!undone" : "")", subject: reversal.user,
          data: Self.object {
            $0.member("key", reversal.key)
            $0.member("undone", reversal.undone)
            $0.member("reason", reversal.reason)
          })
      ]
    case .streak(let streak) where streak.what != .excused:
      return [
        event(
          record, "streak.\(streak.what.rawValue)", subject: streak.user,
          data: Self.data(day: streak.day, before: streak.before, after: streak.after))
      ]
    case .level(let level) where level.exp == nil:
      return [
        event(
          record, "level.reached", subject: level.user,
          data: Self.object {
            $0.member("level", level.level)
            $0.member("effective", level.effective.description)
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
      type: "com.cheer-supports.\(name).v1", subject: subject, time: record.at, data: data,
      ledgerHead: head)
  }

  private static func object(_ members: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    members(&writer)
    writer.endObject()
    return writer.text
  }

  private static func data(of grant: GrantRecord) -> String {
    object { writer in
      writer.member("key", grant.key)
      writer.member("day", grant.day.description)
      writer.member("mission", grant.mission)
      writer.member("effective", grant.effective.description)
      writer.member("points", grant.reward.points)
      writer.member("exp", grant.reward.exp)
      writer.member("coins", grant.reward.coins)
      writer.member("items", grant.reward.items)
      if !grant.removedItems.isEmpty { writer.member("removedItems", grant.removedItems) }
      if let booster = grant.reward.booster {
        writer.object("booster") {
          $0.member("from", booster.from.description)
          $0.member("until", booster.until.description)
        }
      }
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
