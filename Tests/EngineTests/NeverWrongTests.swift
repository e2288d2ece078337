import CivilTime
import Evidence
import Foundations
import RewardRules
import TestSupport
import Testing

/// For any true history and any times of polling, a verdict is never wrong.
@Suite(.offThePool) struct NeverWrongTests {
  private static let lag: Int64 = 10
  private static let horizon: Int64 = 6 * 86_400

  /// What truly happened: streams one after the other, gifts, watches that may overlap.
  struct Truth {
    var activities: [(from: Int64, to: Int64)] = []

    init(of kind: ActivityKind, using random: inout SplitMix64) {
      var time = Int64.random(in: -90_000..<40_000, using: &random)
      while time < horizon {
        let isLong = Int.random(in: 0..<12, using: &random) == 0
        let length: Int64 =
          kind == .gift ? 0 : Int64.random(in: 0..<(isLong ? 50_000 : 9_000), using: &random)
        activities.append((time, time + length))
        let pause = Int64.random(in: 1..<100_000, using: &random)
        time += (kind == .watch && Bool.random(using: &random) ? 0 : length) + pause
      }
    }

    /// What the API tells when it knows all up to `instant`.
    func told(_ kind: ActivityKind, upTo instant: Int64) -> [Activity] {
      let known = activities.filter { $0.from <= instant }
      let shown = kind == .watch ? known[...] : known.suffix(1)
      return shown.map {
        Activity.told(
          kind, from: Instant(seconds: $0.from),
          to: $0.to <= instant ? Instant(seconds: $0.to) : nil)
      }
    }

    /// For how many seconds of a window something went on.
    func seconds(in window: DayWindow, starts: Bool) -> Int64 {
      var (sum, reached) = (Int64(0), window.start.seconds)
      for (from, to) in activities where !starts || window.contains(Instant(seconds: from)) {
        let (from, to) = (max(from, reached), min(to, window.end.seconds))
        guard from < to else { continue }
        sum += to - from
        reached = to
      }
      return sum
    }

    func touches(_ window: DayWindow, starts: Bool) -> Bool {
      activities.contains { from, to in
        let isInside = window.start.seconds <= from && from < window.end.seconds
        if starts || from == to { return isInside }
        return from < window.end.seconds && to > window.start.seconds
      }
    }
  }

  @Test(arguments: Seeds.some(80, of: 0..<400)) func neverWrong(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed) &+ 0xbeef)
    let leastMinutes: Int64? =
      seed % 2 == 0 ? nil : [1, 20, 120, 400].randomElement(using: &random)
    for kind in [ActivityKind.stream, .gift, .watch] {
      let truth = Truth(of: kind, using: &random)
      let starts = Bool.random(using: &random)
      let policy = ActivityPolicy(
        counts: starts ? .starts : .overlaps,
        openEndHours: [1, 12].randomElement(using: &random) ?? 12)
      let looks = Self.looks(at: truth, kind, using: &random)
      var windows: [DayWindow] = []
      var start: Int64 = 0
      while start < Self.horizon {
        let length: Int64 = [82_800, 86_400, 90_000].randomElement(using: &random) ?? 86_400
        windows.append(
          DayWindow(
            day: Day(number: Int32(windows.count)), start: Instant(seconds: start),
            end: Instant(seconds: start + length)))
        start += length
      }
      var days = try KnownDays(windows, policy: policy, leastMinutes: leastMinutes)
      for look in looks { days.observe(look) }
      for (window, facts) in zip(windows, days.facts()) {
        let least = kind == .gift ? nil : leastMinutes.map { $0 * 60 }
        let wrongs = Self.wrongs(
          in: facts, kind, window, truth, looks, starts: starts, least: least)
        #expect(wrongs == [], "\(kind), seed \(seed)")
      }
    }
  }

  private static func looks(
    at truth: Truth, _ kind: ActivityKind, using random: inout SplitMix64
  ) -> [Look] {
    let pace = Int64([600, 4_000, 30_000].randomElement(using: &random) ?? 600)
    var looks: [Look] = []
    var time = Int64.random(in: 0..<pace, using: &random)
    while time < horizon + 90_000 {
      if Int.random(in: 0..<8, using: &random) == 0 {
        looks.append(
          Look(route: kind.source, at: Instant(seconds: time), outcome: .failed(.serverError)))
      } else {
        let staleness = Int64.random(in: 0...lag, using: &random)
        looks.append(
          Look(
            route: kind.source, at: Instant(seconds: time),
            outcome: .answered(truth.told(kind, upTo: time - staleness), refused: [])))
      }
      time += Int64.random(in: 1...pace, using: &random)
    }
    return looks
  }

  /// In what the verdict is wrong, in words; for `unknown`, gaps within which a single poll tells what happened.
  private static func wrongs(
    in facts: DayFacts, _ kind: ActivityKind, _ window: DayWindow, _ truth: Truth, _ looks: [Look],
    starts: Bool, least: Int64?
  ) -> [String] {
    let isTouched =
      least.map { truth.seconds(in: window, starts: starts) >= $0 }
      ?? truth.touches(window, starts: starts)
    switch facts.verdict(kind) {
    case .met: return isTouched ? [] : ["met \(window)"]
    case .notMet: return isTouched ? ["notMet \(window)"] : []
    case .unknown:
      return facts.gaps.filter { $0.kind == kind }.map { ($0.from.seconds + $0.to.seconds) / 2 }
        .filter { middle in looks.contains { tells($0, of: middle, kind) } }
        .map { "gap at \($0)" }
    }
  }

  /// Whether a poll says that nothing of the kind was going on at `second`: written again, from the decision *A poll
  /// proves only what it covers*.
  private static func tells(_ look: Look, of second: Int64, _ kind: ActivityKind) -> Bool {
    guard case .answered(let activities, _) = look.outcome, second < look.at.seconds - lag else {
      return false
    }
    if activities.contains(where: \.isOpen) { return false }
    if kind == .watch { return true }
    guard let last = activities.first else { return true }
    return last.to.seconds < second
  }
}
