import CivilTime
import Evidence
import Foundations
import RewardRules
import Sandbox
import TestSupport

/// What one user truly did, and the windows in which it counts. Everything follows from a seed.
///
/// Streams and gifts keep five minutes from each other and from a day's beginning, so that a poll after each start and
/// one after each midnight can see all of them.
struct TrueLife {
  struct Deed {
    let kind: ActivityKind
    let from: Instant
    let to: Instant
    /// The end of the window in which it began.
    let end: Instant
  }

  struct Purchase {
    let credit: Credit
    let end: Instant
  }

  let id: String
  let zone: String
  let changes: [ZoneChange]
  /// The judged days; the last one is still running when all is over.
  let windows: [UserWindow]
  private(set) var deeds: [Deed] = []
  private(set) var purchases: [Purchase] = []

  static let firstDay = Day(number: 20_746)  // 2026-10-20
  static let dayCount = 18

  private static let zones = [
    "America/New_York", "Europe/Berlin", "America/Havana", "America/St_Johns", "Africa/Cairo",
    "Asia/Tokyo",
  ]

  init(index: Int, seed: UInt64) throws {
    var random = SplitMix64(seed: seed, UInt64(index), 77)
    id = "u\(index)"
    zone = random.pick(Self.zones)
    changes = try Self.changes(from: zone, &random)
    windows = try Self.windows(in: zone, changes)
    let isDiligent = random.chance(0.5)
    for window in windows.dropLast() {
      guard random.chance(isDiligent ? 0.93 : 0.6) else { continue }
      for kind in ActivityKind.allCases where random.chance(isDiligent ? 0.6 : 0.35) {
        addDeed(kind, in: window, &random)
      }
      if random.chance(0.08) { addPurchase(in: window, &random) }
    }
    deeds.sort { ($0.from, $0.kind) < ($1.from, $1.kind) }
  }

  /// All of one kind, in order.
  func deeds(of kind: ActivityKind) -> [Deed] { deeds.filter { $0.kind == kind } }

  /// What the API tells of a kind at an instant.
  func told(_ kind: ActivityKind, at instant: Instant) -> [Activity] {
    let begun = deeds(of: kind).filter { $0.from <= instant }
    let shown = kind == .watch ? begun[...] : begun.suffix(1)
    return shown.map { Activity.told(kind, from: $0.from, to: $0.to <= instant ? $0.to : nil) }
  }

  private static func changes(
    from zone: String, _ random: inout SplitMix64
  ) throws -> [ZoneChange] {
    guard random.chance(0.35) else { return [] }
    let start = try SchedulerFixture.zones.zone(named: zone).firstInstant(of: firstDay)
    var instants = (0..<random.number(in: 1...2)).map { _ in
      start.adding(seconds: random.number(in: 90_000...1_400_000))
    }
    instants.sort()
    return instants.map { ZoneChange(at: $0, zone: random.pick(zones)) }
  }

  private static func windows(
    in zone: String, _ changes: [ZoneChange]
  ) throws -> [UserWindow] {
    var windows: [UserWindow] = []
    var day = firstDay.adding(days: -1)
    var boundary = try SchedulerFixture.zones.zone(named: zone).firstInstant(of: firstDay)
    var current = zone
    while windows.count < dayCount {
      let next = try UserCalendar.next(
        afterDay: day, endingAt: boundary, currentZone: current, changes: changes,
        zones: SchedulerFixture.zones)
      windows.append(next)
      (day, boundary, current) = (next.day, next.end, next.zone)
    }
    return windows
  }

  private mutating func addDeed(
    _ kind: ActivityKind, in window: UserWindow, _ random: inout SplitMix64
  ) {
    let length = window.end.seconds(since: window.start)
    var from = window.start.adding(seconds: random.number(in: 300...length - 1))
    if random.chance(0.1) { from = window.end.adding(seconds: -1) }
    if kind.source == .inbox, random.chance(0.1) { from = window.start }
    var to = from
    if kind == .stream || kind == .watch {
      to = from.adding(seconds: random.number(in: 10...9_000))
      if random.chance(0.1) { to = window.end }
      if to > window.end, random.chance(0.5) { to = window.end.adding(seconds: -1) }
      if to <= from { to = from.adding(seconds: 1) }
    }
    if kind.source != .inbox, kind != .watch {
      let isTooClose = deeds(of: kind).contains { from < $0.to.adding(seconds: 300) }
      if isTooClose { return }
    }
    deeds.append(Deed(kind: kind, from: from, to: to, end: window.end))
  }

  private mutating func addPurchase(in window: UserWindow, _ random: inout SplitMix64) {
    let length = window.end.seconds(since: window.start)
    purchases.append(
      Purchase(
        credit: Credit(
          effective: window.start.adding(seconds: random.number(in: 0...length - 1)),
          points: random.chance(0.5) ? -random.number(in: 1...90) : 0,
          exp: random.number(in: 0...400),
          coins: random.chance(0.3) ? random.number(in: -9...90) : 0,
          items: random.chance(0.5) ? ["fontColor/red"] : [],
          boosterDays: random.chance(0.3) ? random.number(in: 1...3) : 0),
        end: window.end))
  }
}

extension Zone {
  /// The first instant of a date that exists.
  func firstInstant(of day: Day) throws -> Instant {
    guard let window = window(of: day) else { throw ZoneError(name: name, what: "no \(day)") }
    return window.start
  }
}
