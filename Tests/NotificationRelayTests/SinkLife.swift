import CivilTime
import Foundations
import Ledger
import LedgerStore
import Sandbox
import TestSupport

@testable import NotificationRelay

/// One sink's folder through many lives of its writer.
struct SinkLife {
  private let place: RelayPlace
  private let name: String
  private var random: SplitMix64
  private var now: Instant
  private var nextSeq: UInt64 = 3
  /// The lines whose attempt was about a user's state.
  private var states: Set<UInt64> = []
  /// Every state that stood, in order, with what was given up and not asked for in it, and how many attempts had been made.
  private var stood: [(progress: RelayProgress, dead: Set<EventPosition>, attempts: [String])]
  /// The number of the last that is known to be on the disk.
  private var written = 0
  private(set) var deaths = 0
  private(set) var flaws: [String] = []

  init(seed: UInt64, place: RelayPlace) {
    self.place = place
    name = "sink\(seed)"
    random = SplitMix64(seed: seed)
    now = place.clock.now()
    stood = [(RelayProgress(), [], [])]
  }

  /// A life of a process: from the opening of the folder to its end.
  mutating func live() throws {
    let files = FaultyFileSystem()
    guard let writer = try? open(files) else { return }
    for _ in 0..<random.number(in: 1...8) {
      let changes = (0..<random.number(in: 1...5)).map { _ in change() }
      now = now.adding(seconds: random.number(in: 1...9_000))
      for change in changes {
        now = now.adding(seconds: 1)
        writer.apply([change], at: now)
        note(change)
      }
      let isResting = random.chance(0.5)
      let failing = fault(files)
      do {
        if try writer.write(at: now, isResting: isResting) != nil { dropAttempts() }
        if isResting { written = stood.count - 1 }
      } catch {
        if failing == nil { flaws.append("a write failed: \(error)") }
        dropAttempts()
      }
      if failing == .kill {
        dropAttempts()
        break
      }
      files.heal()
    }
    deaths += 1
    try check()
  }

  /// Opens the folder; a process may also die while it does.
  private mutating func open(_ files: FaultyFileSystem) throws -> SinkWriter {
    let fault = fault(files)
    do {
      let writer = try SinkWriter(
        name, in: DataDirectory(place.directory.path, in: files), place.terms)
      // Also where it is of no consequence that the last call failed.
      if fault == .kill, files.wasReached { throw CancellationError() }
      files.heal()
      return writer
    } catch {
      if fault == nil { flaws.append("the folder could not be opened: \(error)") }
      try check()
      throw error
    }
  }

  private mutating func fault(_ files: FaultyFileSystem) -> FaultyFileSystem.Fault? {
    guard random.chance(0.4) else { return nil }
    let faults: [FaultyFileSystem.Fault] = [.kill, .error(28), .error(5), .shortWrite]
    let fault = random.pick(faults)
    files.fail(
      .init(
        fault: fault, atCall: files.calls.count + Int(random.number(in: 1...12)),
        fromThenOn: random.chance(0.3)))
    return fault
  }

  /// Each line of the ledger is about one user.
  private static func user(of seq: UInt64) -> String { "u\(seq % 4)" }

  private mutating func change() -> RelayChange {
    func attempt(_ outcome: DeliveryAttempt.Outcome, _ seq: UInt64, _ lane: Lane) -> RelayChange {
      .attempt(
        DeliveryAttempt(
          event: states.contains(seq) ? "" : "e\(seq)", position: EventPosition(seq: seq),
          lane: lane, attempt: 1, outcome: outcome, reason: "r",
          next: outcome == .failed ? now : nil))
    }
    nextSeq += 1
    let isState = random.chance(0.3)
    if isState { states.insert(nextSeq) }
    let lane = Lane(isState ? .account : .events, user: Self.user(of: nextSeq))
    let current = stood[stood.count - 1]
    switch random.number(in: 0...9) {
    case 0...2: return attempt(.delivered, nextSeq, lane)
    case 3...4: return attempt(.dead, nextSeq, lane)
    case 5: return attempt(.failed, nextSeq, lane)
    case 6:
      // Some that were given up, and one that was not.
      let dead = current.dead.map(\.seq).filter { Self.user(of: $0) == lane.user }.sorted()
      return .replay(
        user: lane.user, positions: (dead.prefix(2) + [nextSeq]).map { EventPosition(seq: $0) },
        actor: "me")
    case 7:
      guard let (lane, replay) = current.progress.replays.min(by: { $0.key.user < $1.key.user }),
        let position = replay.positions.first
      else { return .resumed(actor: "me") }
      return attempt(random.chance(0.5) ? .dead : .delivered, position.seq, lane)
    case 8: return .paused(reason: "r", actor: "me")
    default: return .cursor(LedgerHead(seq: nextSeq, hash: place.store.head.hash))
    }
  }

  private mutating func note(_ change: RelayChange) {
    var (progress, dead, attempts) = stood[stood.count - 1]
    progress.apply(change, at: now)
    if case .attempt(let attempt) = change {
      attempts.append("\(attempt.event) \(attempt.outcome)")
      if attempt.event.isEmpty, attempt.outcome != .failed {
        let user = attempt.lane.user
        dead = dead.filter { !states.contains($0.seq) || Self.user(of: $0.seq) != user }
      }
      if attempt.outcome == .dead { dead.insert(attempt.position) }
    }
    if case .replay(_, let positions, _) = change { dead.subtract(positions) }
    stood.append((progress, dead, attempts))
  }

  /// Notes that attempts up to here may not be told.
  private mutating func dropAttempts() {
    for number in stood.indices { stood[number].attempts = [] }
  }

  /// Holds what stands in the folder against what stood; what came after that never was.
  private mutating func check() throws {
    let folder = SinkFolder(name, in: place.directory)
    let found = try folder.progress()
    guard
      let number = stood.indices.dropFirst(written).first(where: {
        Self.isSame(stood[$0].progress, found)
      })
    else {
      flaws.append("what stands in the folder has not stood since the last write")
      return
    }
    let letters = Set(try folder.deadLetters().map(\.attempt.position))
    if letters != stood[number].dead {
      let (lost, more) = (
        stood[number].dead.subtracting(letters), letters.subtracting(stood[number].dead)
      )
      flaws.append(
        "given up and not told \(lost.map(\.seq)), told and not given up \(more.map(\.seq))")
    }
    if found.deadLetters != letters.count { flaws.append("the number of dead letters found") }
    if try !folder.flaws().isEmpty { flaws.append("\(try folder.flaws())") }
    let writer = try SinkWriter(name, in: place.directory, place.terms)
    let open = Set(try folder.deadLetters().map(\.attempt.position))
    if open != letters { flaws.append("the opening changed what is given up") }
    if writer.lostLetters > 0 { flaws.append("letters are missed") }
    if try folder.progress() != writer.progress {
      flaws.append("the opening changed where it stands")
    }
    var attempts: [String] = []
    try folder.eachAttempt { attempts.append("\($0.attempt.event) \($0.attempt.outcome)") }
    var rest = attempts[...]
    for attempt in stood[number].attempts {
      guard let place = rest.firstIndex(of: attempt) else {
        flaws.append("an attempt is not told: \(attempt)")
        break
      }
      rest = rest[(place + 1)...]
    }
    stood[number].progress = writer.progress
    stood[number].dead = open
    stood[number].attempts = attempts
    stood.removeSubrange((number + 1)...)
    written = number
  }

  private static func isSame(_ left: RelayProgress, _ right: RelayProgress) -> Bool {
    var left = left
    left.deadLetters = right.deadLetters
    return left == right
  }
}
