import CivilTime
import Foundation
import Foundations
import Ledger
import LedgerStore
import Sandbox
import TestSupport
import Testing

@testable import NotificationRelay

/// What a sink's folder says after anything that may happen to its writer.
@Suite(.offThePool) struct SinkWriterTests {
  private let place: RelayPlace
  private let now: Instant

  init() async throws {
    place = try await RelayPlace()
    now = place.clock.now()
  }

  private var folder: String { "\(place.directory.relay)/journal" }

  private static func attempt(
    _ seq: UInt64, _ outcome: DeliveryAttempt.Outcome, of user: String = "a"
  ) -> RelayChange {
    .attempt(
      DeliveryAttempt(
        event: "l/\(seq)", position: EventPosition(seq: seq), lane: Lane(user: user), attempt: 1,
        outcome: outcome, reason: outcome == .delivered ? nil : "é \"no\""))
  }

  /// Something of every kind that can be open.
  private var everything: [RelayChange] {
    [
      Self.attempt(3, .delivered), Self.attempt(4, .dead), Self.attempt(5, .dead, of: "b"),
      Self.attempt(6, .failed, of: "c"), .behind(Lane(user: "d"), from: EventPosition(seq: 7)),
      .behind(Lane(.account, user: "d"), from: EventPosition(seq: 7, index: 100)),
      .replay(user: "b", positions: [EventPosition(seq: 5)], actor: "me"),
      .paused(reason: "HTTP 410", actor: "relay"),
      .cursor(LedgerHead(seq: 2, hash: place.store.head.hash)),
    ]
  }

  private func letters() throws -> [String] {
    try place.sink().deadLetters().map { "\($0.attempt.event) \($0.at)" }
  }

  @Test func whatIsOpenIsThereAgain() throws {
    let writer = try place.writer()
    writer.apply(everything, at: now)
    try writer.write(at: now)
    let progress = writer.progress
    #expect(progress.deadLetters == 1 && progress.failures == 3 && progress.delivered == 1)
    #expect(try place.progress() == progress)
    #expect(try place.writer().progress == progress)
    #expect(try letters() == ["l/4 \(now)"])
    #expect(try place.attempts().map(\.event) == ["l/3", "l/4", "l/5", "l/6"])
    #expect(try place.sink().kept()?.ledger == place.store.report.ledger)
    #expect(try place.sink().flaws() == [])
  }

  @Test func nothingIsKnownOfAFolderThatIsNotThere() throws {
    #expect(try place.progress() == RelayProgress())
    #expect(try place.sink().kept()?.ledger == nil)
    #expect(try place.attempts().isEmpty && letters().isEmpty)
  }

  /// Attempts lie by days, and those of days long gone are removed; what was given up stays.
  @Test func attemptsAreKeptForSomeDays() throws {
    let writer = try place.writer()
    writer.apply([Self.attempt(3, .dead)], at: now)
    try writer.write(at: now)
    for days in 1...40 as ClosedRange<Int64> {
      let later = now.adding(seconds: days * 86_400)
      writer.apply([Self.attempt(UInt64(3 + days), .delivered)], at: later)
      // A clock in doubt removes nothing.
      try writer.write(at: later, mayForget: days != 40)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasPrefix("attempts-")
    }
    #expect(
      files.count == 32
        && files.contains(
          "attempts-\(LocalDateTime(seconds: now.seconds).day.adding(days: 9)).jsonl")
    )
    #expect(try place.attempts().map(\.position.seq) == Array(12...43))
    #expect(try letters() == ["l/3 \(now)"])
  }

  /// What is torn, or is no line of ours, costs itself and nothing else.
  @Test func linesThatCannotBeReadHideNoOthers() throws {
    let writer = try place.writer()
    writer.apply([Self.attempt(3, .dead)], at: now)
    try writer.write(at: now)
    let day = LocalDateTime(seconds: now.seconds).day
    for name in ["attempts-\(day).jsonl", "dead.jsonl"] {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      try Data((text + "\0\0\n{\"at\":\"2026").utf8).write(
        to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    #expect(try place.sink().flaws().map { $0.contains("1 lines cannot be read") } == [true])
    // The next start puts aside what cannot be read.
    let again = try place.writer()
    #expect(again.lostLetters == 0)
    again.apply([Self.attempt(4, .dead)], at: now)
    try again.write(at: now)
    #expect(try place.attempts().map(\.event) == ["l/3", "l/4"])
    #expect(try letters() == ["l/3 \(now)", "l/4 \(now)"])
    #expect(try place.sink().flaws() == [])
    #expect(try String(contentsOfFile: "\(folder)/dead.jsonl.damaged", encoding: .utf8) == "\0\0\n")
  }

  /// Letters that the disk has lost are missed.
  @Test(arguments: [true, false]) func lostLettersAreMissed(isGone: Bool) throws {
    let writer = try place.writer()
    writer.apply([Self.attempt(3, .dead), Self.attempt(4, .dead)], at: now)
    try writer.write(at: now)
    if isGone {
      try FileManager.default.removeItem(atPath: "\(folder)/dead.jsonl")
    } else {
      try Data().write(to: URL(fileURLWithPath: "\(folder)/dead.jsonl"))
    }
    #expect(try place.sink().flaws().map { $0.contains("2 dead letters are missing") } == [true])
    #expect(try place.writer().lostLetters == 2)
  }

  /// Whoever reads the file of dead letters behind an older progress, as a backup may, loses none: nobody has asked yet, or they wait.
  @Test func anOlderProgressKnowsOfNoLaterActs() throws {
    let writer = try place.writer()
    writer.apply([Self.attempt(3, .dead), Self.attempt(4, .dead)], at: now)
    try writer.write(at: now)
    let file = place.sink().progressFile
    let older = try Data(contentsOf: URL(fileURLWithPath: file))
    writer.apply(
      [
        .replay(user: "a", positions: [EventPosition(seq: 3)], actor: "me"),
        Self.attempt(5, .dead, of: "b"),
      ], at: now)
    try writer.write(at: now)
    #expect(try letters() == ["l/4 \(now)", "l/5 \(now)"])
    try older.write(to: URL(fileURLWithPath: file))
    for _ in 1...2 {
      #expect(try letters() == ["l/3 \(now)", "l/4 \(now)"])
      #expect(try place.sink().flaws() == [])
      _ = try place.writer()
    }
  }

  /// Nobody knows what was sent where the rest is there; what somebody has stopped stays so.
  @Test(arguments: [true, false]) func aPauseOutlivesADoubt(isGone: Bool) throws {
    let writer = try place.writer()
    writer.apply([Self.attempt(3, .delivered), .paused(reason: "moving", actor: "bob")], at: now)
    try writer.write(at: now)
    let file = place.sink().progressFile
    if isGone {
      try FileManager.default.removeItem(atPath: file)
    } else {
      try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
    }
    #expect(throws: RelayError.self) {
      try SinkWriter("journal", in: place.directory, place.terms)
    }
    let again = try place.writer()
    #expect(again.doubt != nil && again.progress.cursor == .origin)
    #expect(again.progress.pause == .init(reason: "moving", actor: "bob", since: now))
  }

  /// Attempts only tell: where they cannot be logged, the rest is kept, and that is said.
  @Test func attemptsHoldNothingUp() throws {
    let writer = try place.writer()
    let day = LocalDateTime(seconds: now.seconds).day
    try FileManager.default.createDirectory(
      atPath: place.sink().attemptFile(day), withIntermediateDirectories: false)
    writer.apply([Self.attempt(3, .dead), .paused(reason: "r", actor: "me")], at: now)
    let unlogged = try #require(try writer.write(at: now))
    #expect(unlogged.place.contains("attempts-"))
    #expect(try place.progress() == writer.progress)
    #expect(try letters().count == 1)
    #expect(try writer.write(at: now) == nil)
  }

  /// While a sink is busy, a file that has become long is not written for each change; at rest it is.
  @Test func aLongFileIsNotWrittenForEachChange() throws {
    let writer = try place.writer()
    writer.apply(
      (0..<2_000).map { .behind(Lane(user: "u\($0)"), from: EventPosition(seq: 9)) }, at: now)
    try writer.write(at: now)
    let before = try place.progress()
    writer.apply([Self.attempt(3, .delivered)], at: now)
    try writer.write(at: now, isResting: false)
    #expect(try place.progress() == before)
    #expect(try place.attempts().count == 1)
    writer.apply((4..<204).map { Self.attempt($0, .delivered) }, at: now)
    try writer.write(at: now, isResting: false)
    #expect(try place.progress() == writer.progress)
    writer.apply([Self.attempt(300, .delivered)], at: now)
    try writer.write(at: now, isResting: false)
    #expect(try place.progress() != writer.progress)
    try writer.write(at: now)
    #expect(try place.progress() == writer.progress)
  }

  /// Random changes, writes, faults of the disk and deaths: what is found then has stood once, not before the last write that was done;
  /// and of what it passes over nothing is lost that was given up.
  @Test(arguments: 1...120) func whatIsFoundHasStood(seed: UInt64) throws {
    var life = SinkLife(seed: seed, place: place)
    for _ in 0..<12 { try life.live() }
    #expect(life.flaws == [], "seed \(seed)")
    #expect(life.deaths > 0)
  }
}

/// One sink's folder through many lives of its writer.
private struct SinkLife {
  private let place: RelayPlace
  private let name: String
  private var random: SplitMix64
  private var now: Instant
  private var nextSeq: UInt64 = 3
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
          event: "e\(seq)", position: EventPosition(seq: seq), lane: lane, attempt: 1,
          outcome: outcome, reason: "r", next: outcome == .failed ? now : nil))
    }
    nextSeq += 1
    let lane = Lane(user: Self.user(of: nextSeq))
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
