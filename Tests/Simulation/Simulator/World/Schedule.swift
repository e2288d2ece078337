import CivilTime
import Foundations

/// What goes wrong in a simulation, and when: drawn from its seed, and made shorter when a failure is looked into.
struct Schedule: Sendable, Equatable {
  /// One thing that goes wrong, or that an operator does.
  struct Mishap: Sendable, Hashable {
    /// When it begins, in seconds of true time since the beginning.
    var at: Int64
    var kind: Kind
  }

  enum Kind: Sendable, Hashable {
    /// Something beyond the machine does not work for so long.
    case failure(SimulatedNetwork.Failure.Place, SimulatedNetwork.Failure.Manner, seconds: Int64)
    /// The API spoils single answers for so long: mostly slow, false, garbled, torn or refused ones.
    case spoilt(Spoiling, seconds: Int64)
    /// Somebody sets the wall clock, and sets it right after so long.
    case clockStep(bySeconds: Int64, seconds: Int64)
    /// The machine sleeps.
    case suspend(seconds: Int64)
    /// The service is killed at the n-th call of the disk from now on.
    case kill(afterCalls: Int)
    /// The power is lost at the n-th call of the disk from now on.
    case losePower(afterCalls: Int)
    /// The same, and whoever starts then is killed so often, each at one of the first calls: while it recovers.
    case crashLoop(afterCalls: Int, times: Int)
    /// The service is stopped and started again.
    case restart(seconds: Int64)
    /// The disk has no space for so long.
    case fullDisk(seconds: Int64)
    /// Syncs fail for so long.
    case failingSyncs(seconds: Int64)
    /// A user moves.
    case move(user: Int, zone: String)
    /// A newer time zone database is installed: a zone has another offset from so many days later on.
    case zoneChange(zone: Int, bySeconds: Int64, inDays: Int64)
    /// The installed database does not have the name of a user's first zone for so long.
    case zoneGone(user: Int, seconds: Int64)
    /// An operator gives the service other rules to read.
    case rules(NewRules)
    /// An operator runs a command.
    case command(Command)
  }

  /// Rules that follow the present ones, or stand in the place of the first.
  struct NewRules: Sendable, Hashable {
    /// Whether the first rules were a mistake.
    var corrects: Bool
    /// In how many days they begin, unless they correct others.
    var inDays: Int64
    /// What a mission brings, in the order of their names.
    var points: [Int64]
    /// How much exp fills each level.
    var cap: Int64
  }

  enum Spoiling: String, Sendable, CaseIterable {
    case slow, lying, garbled, torn, refused
  }

  enum Command: Sendable, Hashable {
    case reconcile(confirms: Bool)
    case backfill(onlyPlans: Bool)
    case excuse(fromDay: Int, days: Int, user: Int?)
    case reverse(pick: Int, undoneAfterSeconds: Int64)
    case audit(sinceLast: Bool)
    case backup
    case verify
    case reload
    case runJob(onlyIfDue: Bool)
    case pauseSink(seconds: Int64)
  }

  var mishaps: [Mishap]

  /// What goes wrong by a seed in so many days with so many users.
  init(seed: UInt64, days: Int, users: Int) {
    var random = SplitMix64(seed: seed, 0x5C4E)
    var author = Author(random: random, days: Int64(days), users: users)
    random = author.random
    mishaps = author.write().sorted { $0.at < $1.at }
  }

  /// Nothing at all.
  static let quiet = Schedule(mishaps: [])

  init(mishaps: [Mishap]) { self.mishaps = mishaps }
}

/// Draws mishaps.
private struct Author {
  typealias Kind = Schedule.Kind

  var random: SplitMix64
  let days: Int64
  let users: Int

  mutating func write() -> [Schedule.Mishap] {
    var mishaps: [Schedule.Mishap] = []
    let kinds: [(share: Double, most: Int64, (inout Author) -> Kind)] = [
      (0.6, 4, { $0.failure() }), (0.5, 3, { $0.spoilt() }), (0.35, 2, { $0.clockStep() }),
      (0.3, 2, { .suspend(seconds: $0.stillness(60, 30_000)) }),
      (0.6, 4, { .kill(afterCalls: Int($0.random.number(in: 0...120))) }),
      (0.6, 4, { .losePower(afterCalls: Int($0.random.number(in: 0...120))) }),
      (
        0.3, 1,
        {
          .crashLoop(
            afterCalls: Int($0.random.number(in: 0...60)), times: Int($0.random.number(in: 1...5)))
        }
      ),
      (0.5, 3, { .restart(seconds: $0.stillness(1, 7_200)) }),
      (0.35, 2, { .fullDisk(seconds: $0.seconds(60, 20_000)) }),
      (0.3, 2, { .failingSyncs(seconds: $0.seconds(1, 3_600)) }),
      (0.5, 4, { $0.move() }), (0.25, 1, { $0.zoneChange() }),
      (0.25, 2, { $0.zoneGone() }), (0.3, 2, { $0.rules() }),
      (0.8, 8, { .command($0.command()) }),
    ]
    for (share, most, make) in kinds where random.chance(share) {
      for _ in 0..<random.number(in: 1...most) {
        let at = anyTime()
        let kind = make(&self)
        mishaps.append(Schedule.Mishap(at: time(of: kind, about: at), kind: kind))
        if case .clockStep(_, let seconds) = kind, random.chance(0.5) {
          // A start under a wrong clock, in the same boot or behind a new one.
          let start = Schedule.Mishap(
            at: at + random.number(in: 1...seconds),
            kind: random.chance(0.5) ? .losePower(afterCalls: 0) : .restart(seconds: 1))
          mishaps.append(start)
        }
        if let end = Self.blindness(of: kind).map({ at + $0 }), random.chance(0.25) {
          // What comes up again often tells what it knew before.
          mishaps.append(
            Schedule.Mishap(at: end, kind: .spoilt(.lying, seconds: seconds(20_000, 100_000))))
        }
      }
    }
    return mishaps
  }

  /// For how long nobody can see what the app knows, if for hours.
  private static func blindness(of kind: Kind) -> Int64? {
    switch kind {
    case .failure(.receiver, _, _): nil
    case .failure(_, _, let seconds), .suspend(let seconds), .restart(let seconds):
      seconds > 10_000 ? seconds : nil
    default: nil
    }
  }

  /// Any time after the first hours; often around the half hour after which zones are closed.
  private mutating func anyTime() -> Int64 {
    let at = random.number(in: 6 * 3_600...days * 86_400)
    return random.chance(0.4) ? Self.halfHour(of: at) + random.number(in: -120...400) : at
  }

  /// When something happens about a time: a job is often run by hand at the very second at which the service runs it.
  private mutating func time(of kind: Kind, about at: Int64) -> Int64 {
    guard case .command(.runJob) = kind else { return at }
    return random.chance(0.5) ? Self.halfHour(of: at) : at
  }

  private static func halfHour(of time: Int64) -> Int64 { time - time % 3_600 + 1_800 }

  private mutating func seconds(_ least: Int64, _ most: Int64) -> Int64 {
    random.number(in: least...most)
  }

  /// For how long nothing runs: now and then for days, so that more happens than a later poll can see.
  private mutating func stillness(_ least: Int64, _ most: Int64) -> Int64 {
    random.chance(0.2) ? seconds(86_400, 260_000) : seconds(least, most)
  }

  private mutating func failure() -> Kind {
    let place = random.pick(SimulatedNetwork.Failure.Place.allCases)
    // The API now and then for longer than closed days are remembered. Of a receiver that long, events are given up,
    // and come again when somebody asks for them, behind later ones.
    let isLong = place != .receiver && random.chance(0.2)
    return .failure(
      place, random.pick(SimulatedNetwork.Failure.Manner.allCases),
      seconds: isLong ? seconds(86_400, 400_000) : seconds(60, 60_000))
  }

  private mutating func spoilt() -> Kind {
    .spoilt(random.pick(Schedule.Spoiling.allCases), seconds: seconds(600, 200_000))
  }

  private mutating func clockStep() -> Kind {
    let size = random.pick([2, 30, 240, 3_000, 7_200, 90_000, 260_000] as [Int64])
    return .clockStep(bySeconds: random.chance(0.5) ? size : -size, seconds: stillness(10, 9_000))
  }

  private mutating func move() -> Kind {
    .move(
      user: Int(random.number(in: 0...Int64(users - 1))),
      zone: random.pick([
        "Asia/Tokyo", "Pacific/Kiritimati", "Pacific/Honolulu", "America/New_York",
        "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu",
      ]))
  }

  private mutating func zoneChange() -> Kind {
    .zoneChange(
      zone: Int(random.number(in: 0...Int64(SimulatedZones.plainZones.count - 1))),
      bySeconds: random.pick([-3_600, 3_600, 1_800, -7_200]),
      inDays: random.number(in: 2...12))
  }

  private mutating func zoneGone() -> Kind {
    .zoneGone(
      user: Int(random.number(in: 0...Int64(users - 1))),
      seconds: random.chance(0.2) ? seconds(86_400, 260_000) : seconds(600, 80_000))
  }

  private mutating func rules() -> Kind {
    .rules(
      Schedule.NewRules(
        corrects: random.chance(0.4), inDays: random.number(in: 1...5),
        points: (0..<7).map { _ in random.number(in: 0...60) }, cap: random.number(in: 20...200)))
  }

  private mutating func command() -> Schedule.Command {
    switch random.next() % 12 {
    case 0, 1: return .reconcile(confirms: random.chance(0.3))
    case 2, 3: return .backfill(onlyPlans: random.chance(0.2))
    case 4:
      return .excuse(
        fromDay: Int(random.number(in: 0...max(0, days - 1))),
        days: Int(random.number(in: 1...2)),
        user: random.chance(0.5) ? Int(random.number(in: 0...Int64(users - 1))) : nil)
    case 5:
      return .reverse(
        pick: Int(random.number(in: 0...100_000)),
        undoneAfterSeconds: random.chance(0.5) ? seconds(60, 100_000) : 0)
    case 6: return .audit(sinceLast: random.chance(0.5))
    case 7: return random.chance(0.5) ? .backup : .verify
    case 8: return .reload
    case 9, 10: return .runJob(onlyIfDue: random.chance(0.5))
    default: return .pauseSink(seconds: seconds(60, 50_000))
    }
  }
}
