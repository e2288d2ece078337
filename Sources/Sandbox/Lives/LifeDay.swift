internal import CivilTime
internal import Evidence
import Foundations

/// A user's activities on a day spent in the app.
struct LifeDay {
  /// When the day begins according to the user's habits, in seconds since 1970.
  let midnight: Int64
  let isNightOwl: Bool

  /// Returns the day's activities of one kind, in order of beginnings.
  func activities(of kind: ActivityKind, _ random: inout SplitMix64) -> [Activity] {
    let count = count(of: kind, &random)
    let starts = (0..<count).map { _ in start(&random) }.sorted()
    return starts.map { start in
      let duration =
        switch kind {
        case .stream: streamSeconds(from: start, &random)
        case .watch: watchSeconds(&random)
        default: Int64(0)
        }
      return Activity(
        kind: kind, from: Instant(seconds: start), to: Instant(seconds: start + duration))
    }
  }

  private func count(of kind: ActivityKind, _ random: inout SplitMix64) -> Int64 {
    switch kind {
    case .stream: random.chance(0.45) ? random.number(in: 1...2) : 0
    case .watch: random.number(in: 0...3)
    case .gift: random.chance(0.5) ? random.number(in: 1...2) : 0
    case .login: random.number(in: 1...2)
    case .comment: random.number(in: 0...2)
    case .follow: random.chance(0.2) ? 1 : 0
    case .share: random.chance(0.15) ? 1 : 0
    case .purchase: random.chance(0.05) ? 1 : 0
    }
  }

  private func start(_ random: inout SplitMix64) -> Int64 {
    // Bugs live in the seconds around midnight.
    if random.chance(0.03) { return midnight + 86_400 + random.number(in: -1...1) }
    let hours: ClosedRange<Int64> = isNightOwl ? 21 * 3_600...26 * 3_600 : 7 * 3_600...24 * 3_600
    return midnight + random.number(in: hours)
  }

  private func streamSeconds(from start: Int64, _ random: inout SplitMix64) -> Int64 {
    let untilMidnight = midnight + 86_400 - start
    switch random.fraction() {
    case ..<0.03: return random.number(in: 45_000...72_000)
    case ..<0.06: return untilMidnight > 0 ? untilMidnight : 600
    case ..<0.2: return random.number(in: 20...600)
    default: return random.number(in: 1_200...14_400)
    }
  }

  private func watchSeconds(_ random: inout SplitMix64) -> Int64 {
    random.chance(0.3) ? random.number(in: 10...300) : random.number(in: 300...10_800)
  }
}
