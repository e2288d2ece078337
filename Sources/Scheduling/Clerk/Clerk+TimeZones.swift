public import CivilTime
import Evidence
import Ledger

/// What a newer time zone database changes of days that are not closed.
public struct TimeZoneEffect: Sendable, Equatable {
  /// One zone's day whose window is another one now.
  public struct ChangedDay: Sendable, Equatable {
    /// The zone.
    public let zone: String
    /// The window as it was.
    public let before: DayWindow
    /// The window as it is.
    public let after: DayWindow
    /// How many users live by it.
    public let users: Int
  }

  /// The days that changed, by zone and day.
  public internal(set) var days: [ChangedDay] = []
  /// Users whose days changed.
  public internal(set) var users = 0
}

extension Clerk {
  /// Takes another time zone database into use for days that are not closed, and tells and records what it changes.
  ///
  /// `reload` puts it into use and returns whether it is another one; nothing happens between the two views of the open
  /// days. Closed days keep their windows. Returns nil when the database is the same.
  public func takeTimeZones(
    _ reload: @Sendable () -> Bool
  ) async throws -> TimeZoneEffect? {
    try await inTurn { clerk in
      let now = clerk.clock.now()
      let version = clerk.desk.zones.version
      let before = clerk.openWindows(now)
      guard reload() else { return nil }
      clerk.desk.forgetWindows()
      let effect = clerk.effect(of: before, now)
      var draft = Draft()
      draft.bodies = [
        .run(Self.record(of: effect, from: version, to: clerk.desk.zones.version, at: now))
      ]
      _ = try await clerk.commit([draft])
      return effect
    }
  }

  /// The windows of each user that are open or come next: a change of rules mostly shows at the end of the running one.
  private func openWindows(_ now: Instant) -> [[UserWindow]] {
    let horizon = now.adding(seconds: 8 * 86_400)
    return desk.book.accounts.indices.map { (try? desk.windows(of: $0, through: horizon)) ?? [] }
  }

  private func effect(of before: [[UserWindow]], _ now: Instant) -> TimeZoneEffect {
    var users: [TimeZoneEffect.ChangedDay: Int] = [:]
    var effect = TimeZoneEffect()
    for (was, now) in zip(before, openWindows(now)) where was != now {
      effect.users += 1
      for (old, new) in zip(was, now) where old.window != new.window {
        users[.init(zone: new.zone, before: old.window, after: new.window, users: 0), default: 0] +=
          1
      }
    }
    effect.days = users.map { .init(zone: $0.zone, before: $0.before, after: $0.after, users: $1) }
      .sorted { ($0.zone, $0.after.day) < ($1.zone, $1.after.day) }
    return effect
  }

  private static func record(
    of effect: TimeZoneEffect, from old: String, to new: String, at now: Instant
  ) -> RunRecord {
    let at = now.truncatedToMilliseconds
    return RunRecord(
      job: "tzdata", zone: "*", nominal: at, nominalLocal: at.description, actual: at,
      outcome: "done",
      reason: old == new ? "the files of \(old) were replaced" : "\(old) was replaced by \(new)",
      counts: [
        RunCount(name: "users", value: Int64(effect.users)),
        RunCount(name: "days", value: Int64(effect.days.count)),
      ])
  }
}

extension TimeZoneEffect.ChangedDay: Hashable {}
