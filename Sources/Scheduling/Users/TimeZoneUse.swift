package import CivilTime
import Engine
import Ledger

/// The effect of a newer time zone database on open days.
package struct TimeZoneEffect: Sendable, Equatable {
  /// A zone's day whose window has changed.
  package struct ChangedDay: Sendable, Hashable {
    /// The zone.
    package let zone: String
    /// The window before.
    package let before: DayWindow
    /// The window after.
    package let after: DayWindow
    /// The number of users affected.
    package let users: Int
  }

  /// The changed days, by zone and day.
  package internal(set) var days: [ChangedDay] = []
  /// The number of users whose days changed.
  package internal(set) var users = 0
}

/// Puts newer time zone databases into use.
package struct TimeZoneUse: Sendable {
  /// The job's name in the record of the change.
  package static let job = "tzdata"

  private let writer: LedgerWriter

  /// Creates the act for this writer's state.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Puts another time zone database into use for open days, and records and returns the changes.
  ///
  /// `reload` puts it into use and returns whether it differs; nothing happens between the two views of the open
  /// days. Closed days keep their windows. Returns nil if the database is the same.
  package func reload(_ reload: @escaping @Sendable () -> Bool) async throws -> TimeZoneEffect? {
    try await writer.change(.all) { state in
      let now = state.clock.now()
      let version = state.zones.version
      let before = state.windowsAhead(now)
      guard reload() else { return LedgerWriter.Proposal([]) { _, _ in nil } }
      state.forgetWindows()
      let effect = TimeZoneEffect(from: before, to: state.windowsAhead(now))
      let run = Self.record(of: effect, from: version, to: state.zones.version, at: now)
      return LedgerWriter.Proposal([Draft([.run(run)])]) { _, _ in effect }
    }
  }

  private static func record(
    of effect: TimeZoneEffect, from old: String, to new: String, at now: Instant
  ) -> RunRecord {
    let at = now.truncatedToMilliseconds
    return RunRecord(
      job: Self.job, zone: "*", nominal: at, nominalLocal: at.description, actual: at,
      outcome: "done",
      reason: old == new ? "the files of \(old) were replaced" : "\(old) was replaced by \(new)",
      counts: [
        RunCount(name: "users", value: Int64(effect.users)),
        RunCount(name: "days", value: Int64(effect.days.count)),
      ])
  }
}

extension TimeZoneEffect {
  /// Creates the difference between two views of all users' windows.
  fileprivate init(from before: [[UserWindow]], to after: [[UserWindow]]) {
    var users: [ChangedDay: Int] = [:]
    for (was, now) in zip(before, after) where was != now {
      self.users += 1
      for (old, new) in zip(was, now) where old.window != new.window {
        users[
          ChangedDay(zone: new.zone, before: old.window, after: new.window, users: 0), default: 0] +=
          1
      }
    }
    days = users.map { day, users in
      ChangedDay(zone: day.zone, before: day.before, after: day.after, users: users)
    }.sorted { ($0.zone, $0.after.day) < ($1.zone, $1.after.day) }
  }
}

extension WorkingState {
  /// Returns each user's open windows and the next ones, because changed rules mostly show at the end of the running window.
  fileprivate mutating func windowsAhead(_ now: Instant) -> [[UserWindow]] {
    let horizon = now.adding(seconds: 8 * 86_400)
    return ledger.accounts.indices.map { (try? openWindows(of: $0, through: horizon)) ?? [] }
  }
}
