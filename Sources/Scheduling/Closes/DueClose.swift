package import CivilTime
import Engine
import Evidence
import Ledger
package import RewardRules

/// A zone's ended day that waits to be closed, for all users whose next day it is.
package struct DueClose: Hashable, Sendable {
  /// The IANA zone.
  package let zone: String
  /// The day with the zone's own window, by the time zone database in use.
  package let window: DayWindow

  /// Creates a day to close.
  package init(zone: String, window: DayWindow) {
    self.zone = zone
    self.window = window
  }
}

/// The result of closing a zone's day.
package enum CloseReport: Sendable, Equatable {
  /// The day is closed.
  case closed(ClosedZoneDay)
  /// No user was left to close it for.
  case nobody
  /// The day waits for an operator.
  case waiting(DueClose, objection: String)
}

/// A closed day of a zone, with its figures.
package struct ClosedZoneDay: Sendable, Equatable {
  /// The zone and the window.
  package let close: DueClose
  /// The number of users judged.
  package let users: Int
  /// The number of the users' missions that stay unknown.
  package let unknown: Int
  /// How many of these are of users whose first day had begun before they came, so that nobody could see it whole.
  package let unknownOfNewcomers: Int
  /// The number of streaks broken.
  package let broken: Int
  /// What all grants for the day give these users.
  package let amounts: Amounts
  /// What was appended with the close.
  package let counts: AppendCounts
}

extension DueClose {
  /// Returns the closes due at `now`, ordered by end and then by zone, optionally only those of `wanted` and up to `day`.
  ///
  /// A day is due once it has ended and, if any route is polled, answers are no longer stale. Users who are behind
  /// their zone's last close have closes of their own, day by day.
  static func all(
    in state: inout WorkingState, now: Instant, zones wanted: Set<String>?, through day: Day?
  ) -> [DueClose] {
    ended(in: &state, now: now) { close, state in
      close.isFinal(in: state, now: now) && wanted?.contains(close.zone) ?? true
        && day.map { close.window.day <= $0 } ?? true
    }
  }

  /// Returns the days that have ended at `now` and are not closed, in the same order. After a user's first unwanted
  /// day, later days of that user are left out.
  static func ended(
    in state: inout WorkingState, now: Instant,
    where isWanted: (DueClose, WorkingState) -> Bool = { _, _ in true }
  ) -> [DueClose] {
    var ended: Set<DueClose> = []
    // Users with the same zone and boundary have the same windows, so each combination is examined once.
    var seen: Set<Place> = []
    let accounts = state.ledger.accounts
    for user in accounts.indices {
      if accounts[user].boundary > now || accounts[user].stopped != nil { continue }
      if accounts[user].isResident {
        let place = Place(
          zone: accounts[user].zone, boundary: accounts[user].boundary,
          day: accounts[user].boundaryDay)
        if !seen.insert(place).inserted { continue }
      }
      guard let windows = state.judgedWindows(of: user, through: now) else { continue }
      for window in windows {
        let close = DueClose(window, in: state)
        guard close.window.end <= now, isWanted(close, state) else { break }
        ended.insert(close)
      }
    }
    // Two dates may end at the same time, when a move has given a user a date that the zone skipped.
    return ended.sorted {
      ($0.window.end, $0.zone, $0.window.day) < ($1.window.end, $1.zone, $1.window.day)
    }
  }

  private struct Place: Hashable {
    let zone: Int32
    let boundary: Instant
    let day: Day
  }

  /// Creates the close that ends a user's day: that of the date in the zone in which the day ends.
  private init(_ window: UserWindow, in state: WorkingState) {
    zone = window.zone
    let own = (try? state.zones.zone(named: zone))?.window(of: window.day)
    self.window = own ?? window.window
  }

  /// Returns whether waiting longer could reveal nothing more about the window.
  private func isFinal(in state: WorkingState, now: Instant) -> Bool {
    let needed = state.ledger.rules.current?.rules(on: window.day)?.neededKinds ?? []
    let asksRoutes = Source.polled.contains { route in
      state.terms.polls(route) && route.polledKind.map { needed.contains($0) } ?? false
    }
    return window.end.adding(seconds: asksRoutes ? state.terms.lagSeconds : 0) <= now
  }

  /// Returns the indices of the accounts whose next day ends with this close.
  ///
  /// A user's day may begin before the date does, where older rules of the zone ended the day before. The close
  /// includes every user who has closed the previous date and not this one.
  func cohort(in state: inout WorkingState, now: Instant) -> [Int] {
    var users: Set<Int> = []
    let ledger = state.ledger
    let accounts = ledger.accounts
    let dateBefore =
      (try? state.zones.zone(named: zone))?.window(containing: window.start.adding(seconds: -1)).day
      ?? window.day
    // A moving user's day may end in a zone where no user lives yet.
    if let place = ledger.users.zones.index(of: zone) {
      for resident in ledger.users.zones.residents(of: place).lazy.map({ Int($0) })
      where !ledger.users.moving.contains(resident) {
        // By index, to avoid copying an account to read four of its parts.
        guard accounts[resident].zone == place, accounts[resident].stopped == nil,
          accounts[resident].boundaryDay < window.day, accounts[resident].boundary < window.end,
          accounts[resident].boundary >= window.start
            || accounts[resident].boundaryDay >= dateBefore,
          accounts[resident].leftAt.map({ $0 >= accounts[resident].boundary }) ?? true
        else { continue }
        users.insert(resident)
      }
    }
    for user in ledger.users.moving where ledger.accounts[user].stopped == nil {
      guard let first = state.judgedWindows(of: user, through: now)?.first, first.zone == zone,
        first.day == window.day
      else { continue }
      users.insert(user)
    }
    return users.sorted()
  }
}
