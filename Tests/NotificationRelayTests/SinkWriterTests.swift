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

  /// A user's state says all that earlier ones have said: one letter at most is left, and none once it is delivered.
  @Test func aStateSettlesThoseThatWereGivenUp() throws {
    func state(_ seq: UInt64, _ outcome: DeliveryAttempt.Outcome, of user: String) -> RelayChange {
      .attempt(
        DeliveryAttempt(
          event: "", position: EventPosition(seq: seq), lane: Lane(.account, user: user),
          attempt: 1, outcome: outcome))
    }
    var writer = try place.writer()
    let refusals = [
      state(3, .dead, of: "a"), state(4, .dead, of: "b"), Self.attempt(5, .dead),
      state(6, .failed, of: "a"), state(7, .dead, of: "a"),
    ]
    writer.apply(refusals, at: now)
    try writer.write(at: now)
    #expect(try place.sink().deadLetters().map(\.attempt.position.seq) == [4, 5, 7])
    // The next process knows whose states they are.
    writer = try place.writer()
    writer.apply([state(8, .delivered, of: "a")], at: now)
    try writer.write(at: now)
    #expect(try place.sink().deadLetters().map(\.attempt.position.seq) == [4, 5])
    #expect(try place.progress().deadLetters == 2)
  }

  @Test func noReasonNamesAForgottenUser() throws {
    let writer = try place.writer()
    writer.apply(
      [Self.attempt(3, .failed), .paused(reason: "the document of a is ahead", actor: "relay")],
      at: now)
    _ = try writer.erase("b", at: now)
    #expect(try place.progress().pause?.reason == "the document of a is ahead")
    #expect(try writer.erase("a", at: now) == 1)
    let progress = try place.progress()
    #expect(progress.pause?.reason == "it was about a user who was forgotten")
    #expect(progress.lastFailure == nil)
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
