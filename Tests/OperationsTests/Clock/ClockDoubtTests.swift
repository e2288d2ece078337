import CivilTime
import Configuration
import Foundations
import HTTPClient
import Ledger
import LedgerStore
import Scheduling
import TestSupport
import Testing

@testable import Operations
@testable import Sandbox

/// After a boot of the machine no day is closed by a clock that nobody has confirmed.
@Suite(.offThePool) struct ClockDoubtTests {
  private static let begin = Instant(seconds: 1_795_176_000)
  private static let day: Int64 = 86_400

  /// Both clocks of a machine, and the kernel's word on them.
  private final class Machine: ServiceClock {
    struct State {
      var wall = ClockDoubtTests.begin
      var elapsed: Int64 = 500
      var boot = "b1"
      var isSynchronized: Bool?
      /// What a time server sets the wall to as soon as somebody asks whether one keeps it.
      var comesRight: Instant?
      /// After how many readings of the boot clock the machine is suspended, and for how many seconds.
      var suspension: (readings: Int, seconds: Int64)?

      mutating func suspend() {
        guard let (readings, seconds) = suspension else { return }
        suspension = readings > 1 ? (readings - 1, seconds) : nil
        guard readings == 1 else { return }
        wall = wall.adding(seconds: seconds)
        elapsed += seconds
      }
    }

    let state = Lock(State())

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    func now() -> Instant { state.withLock { $0.wall } }
    func sinceBoot() -> Int64? {
      state.withLock { state in
        defer { state.suspend() }
        return state.elapsed * 1_000_000_000
      }
    }
    var boot: String? { state.withLock { $0.boot } }
    var isSynchronized: Bool? {
      state.withLock { state in
        if let right = state.comesRight {
          (state.wall, state.isSynchronized, state.comesRight) = (right, true, nil)
        }
        return state.isSynchronized
      }
    }
    func sleep(until instant: Instant) async throws {}
    func sleep(seconds: Double) async throws {}
    func beginWork() {}
    func endWork() {}
  }

  /// What one run of `reconcile` came to.
  private struct Outcome: Equatable {
    var closed = 0
    var waits = false
    /// What a second run would append.
    var left = 0
  }

  private func reconcile(_ place: TestPlace, _ machine: Machine) async throws -> Outcome {
    let runtime = try await place.openTrusting(machine)
    let report = try await Reconciliation(runtime, ReconcileOrder(proves: true)).run()
    await runtime.close()
    return Outcome(
      closed: report.closed.count, waits: report.isPutOff && report.clockDoubt != nil,
      left: report.secondRun ?? -1)
  }

  /// A ledger with one user, of whom the last days are closed.
  private func place(_ machine: Machine) async throws -> TestPlace {
    let place = try TestPlace()
    let runtime = try await place.openTrusting(machine)
    try await runtime.hire("{\"user\":\"u\",\"timezone\":\"UTC\"}\n")
    await runtime.close()
    return place
  }

  /// Whether `rewards doctor` names the clock as a reason why no day is closed.
  private func isObjectedTo(_ machine: Machine, _ place: TestPlace) async throws -> Bool {
    let directory = DataDirectory(try place.configuration().data)
    let state = try await StateReading.read(LedgerReader.open(directory))
    return Runtime.clockObjection(machine, in: directory, after: state) != nil
  }

  /// The machine is started again, with its wall clock so far ahead of the last record.
  private func reboot(_ machine: Machine, ahead: Int64, isSynchronized: Bool?) {
    machine.set {
      $0.wall = Self.begin.adding(seconds: ahead)
      $0.elapsed = 20
      $0.boot = "b2"
      $0.isSynchronized = isSynchronized
    }
  }

  @Test(arguments: [(false, true), (nil, true), (true, false)] as [(Bool?, Bool)])
  func closesWaitForTheKernelsWord(isSynchronized: Bool?, waits: Bool) async throws {
    let machine = Machine()
    let place = try await place(machine)
    reboot(machine, ahead: 3 * Self.day, isSynchronized: isSynchronized)
    #expect(try await isObjectedTo(machine, place) == waits)
    let expected = waits ? Outcome(waits: true) : Outcome(closed: 3)
    // However often it is started.
    for round in 0..<3 {
      let outcome = try await reconcile(place, machine)
      #expect(outcome == (round > 0 && !waits ? Outcome() : expected))
    }
    // A time server's word comes late.
    machine.set { $0.isSynchronized = true }
    #expect(try await !isObjectedTo(machine, place))
    #expect(try await reconcile(place, machine) == (waits ? Outcome(closed: 3) : Outcome()))
    // In the same boot the two clocks are held against each other.
    machine.set { $0.wall = $0.wall.adding(seconds: Self.day) }
    #expect(try await isObjectedTo(machine, place))
  }

  /// A time server sets a clock right that was wrong when the service started; somebody who does it by hand confirms nothing by it.
  @Test(arguments: [3 * day, -7_200], [false, true])
  func aClockThatIsSetRightIsFollowed(ahead: Int64, hasMark: Bool) async throws {
    let machine = Machine()
    let place = try await place(machine)
    if !hasMark { try place.remove("data/state/clock") }
    reboot(machine, ahead: ahead, isSynchronized: false)
    let runtime = try await place.open(machine)
    machine.set {
      $0.wall = Self.begin.adding(seconds: 60)
      $0.elapsed += 10
    }
    #expect(runtime.heldClock.differenceSeconds == nil)
    #expect(runtime.heldClock.doubt != nil)
    machine.set { $0.isSynchronized = true }
    #expect(runtime.heldClock.differenceSeconds == nil)
    #expect(runtime.heldClock.doubt == nil)
    #expect(runtime.clock.now() == Self.begin.adding(seconds: 60))
    await runtime.close()
  }

  /// A time server sets the clock right while days are about to be closed: those that have not ended stay open.
  @Test func noDayIsClosedThatTheRightClockHasNotEnded() async throws {
    let machine = Machine()
    let place = try await place(machine)
    reboot(machine, ahead: 3 * Self.day, isSynchronized: false)
    let runtime = try await place.openTrusting(machine)
    machine.set { $0.comesRight = Self.begin.adding(seconds: 60) }
    let report = try await Reconciliation(runtime, ReconcileOrder(proves: true)).run()
    #expect(runtime.heldClock.doubt == nil)
    #expect(report.closed.isEmpty)
    #expect(report.secondRun == 0)
    await runtime.close()
  }

  /// By a clock that is ahead the fires of three nights are due: none has come for certain.
  @Test func noFireIsDueByAClockInDoubt() async throws {
    let machine = Machine()
    let place = try await place(machine)
    let text = #"{"name":"nightly","schedule":"30 0 * * *","timeZone":"user","do":["reconcile"]}"#
    let job = try JobFile.parse(Array(text.utf8), zones: TestPlace.zones).get()
    let first = try await place.openTrusting(machine)
    _ = await JobRunner(first, jobs: [job]).claimDueFires()
    await first.close()
    reboot(machine, ahead: 3 * Self.day, isSynchronized: false)
    let runtime = try await place.openTrusting(machine)
    let runner = JobRunner(runtime, jobs: [job])
    let seq = await runtime.writer.read { $0.ledger.seq }
    #expect(await runner.claimDueFires().fires.isEmpty)
    #expect(await runtime.writer.read { $0.ledger.seq } == seq, "none is missed")
    machine.set { $0.isSynchronized = true }
    #expect(await runner.claimDueFires().fires.count == 1)
    await runtime.close()
  }

  /// Whoever comes, leaves or is given something does so from a present that nobody knows.
  @Test func whatTakesEffectNowWaits() async throws {
    let machine = Machine()
    let place = try await place(machine)
    reboot(machine, ahead: 3 * Self.day, isSynchronized: false)
    let runtime = try await place.openTrusting(machine)
    await #expect(throws: RuntimeError.self) {
      try await UserRemoval(runtime).remove(
        "u", reason: "left", by: "tests")
    }
    machine.set { $0.isSynchronized = true }
    #expect(
      try await UserRemoval(runtime).remove(
        "u", reason: "left", by: "tests"))
    await runtime.close()
  }

  /// What is ahead of a clock in doubt may have happened.
  @Test func aLineAheadOfAClockInDoubtWaits() async throws {
    let machine = Machine()
    let place = try await place(machine)
    reboot(machine, ahead: 7_200, isSynchronized: false)
    let runtime = try await place.openTrusting(machine)
    let at = Self.begin.adding(seconds: 3 * 3_600)
    try place.write(
      "data/inbox/incoming/a.jsonl", "{\"user\":\"u\",\"kind\":\"share\",\"at\":\"\(at)\"}\n")
    let waiting = try await InboxSweep(runtime: runtime).readAll()
    #expect(waiting.stuck != nil && waiting.rejected == 0)
    machine.set {
      $0.wall = at
      $0.isSynchronized = true
    }
    let read = try await InboxSweep(runtime: runtime).readAll()
    #expect(read.stuck == nil && read.rejected == 0 && read.users == ["u"])
    await runtime.close()
  }

  /// A suspended service finds lines that are younger than its last look at the clock.
  @Test func aLineWrittenWhileTheMachineWasSuspendedIsNotOfTheFuture() async throws {
    let machine = Machine()
    let place = try await place(machine)
    let runtime = try await place.openTrusting(machine)
    let at = machine.now().adding(seconds: 7_000)
    try place.write(
      "data/inbox/incoming/a.jsonl", "{\"user\":\"u\",\"kind\":\"share\",\"at\":\"\(at)\"}\n")
    // One look at both clocks reads that of the boot twice.
    machine.set { $0.suspension = (readings: 2, seconds: 7_200) }
    let read = try await InboxSweep(runtime: runtime).readAll()
    #expect(read.rejected == 0 && read.users == ["u"])
    await runtime.close()
  }

  /// What is granted meanwhile keeps nothing out that comes when the clock is right again.
  @Test func whatIsRecordedInDoubtIsNotOfTheFuture() async throws {
    let machine = Machine()
    let place = try await place(machine)
    for round in 0..<2 {
      reboot(machine, ahead: 3 * Self.day, isSynchronized: false)
      let runtime = try await place.openTrusting(machine)
      machine.set { $0.elapsed += 40 }
      let line =
        "{\"user\":\"u\",\"kind\":\"share\",\"at\":\"\(Self.begin)\",\"id\":\"\(round)\"}\n"
      _ = try await Ingestion(runtime).run(Array(line.utf8), name: "late-\(round).jsonl")
      _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      let last = await runtime.writer.read { $0.ledger.at }
      #expect(last >= Self.begin && last <= Self.begin.adding(seconds: 40 * Int64(round + 1)))
      await runtime.close()
    }
    reboot(machine, ahead: 120, isSynchronized: true)
    #expect(try await reconcile(place, machine) == Outcome())
  }

  @Test func anOperatorConfirmsIt() async throws {
    let machine = Machine()
    let place = try await place(machine)
    reboot(machine, ahead: Self.day, isSynchronized: false)
    #expect(try await reconcile(place, machine).waits)
    let runtime = try await place.openTrusting(machine)
    _ = try await runtime.acceptClock(actor: "op")
    // Also where the process is killed then.
    let mark = place.read("data/state/clock")
    #expect(mark.contains("\"b2\""))
    await runtime.close()
    #expect(try await reconcile(place, machine) == Outcome(closed: 1))
    // The same boot is held against that from then on.
    machine.set { $0.wall = Self.begin.adding(seconds: 3 * Self.day) }
    await #expect(throws: RuntimeError.self) { try await reconcile(place, machine) }
  }

  /// A folder without a mark is in doubt only when its ledger is old, and stays so whatever is appended meanwhile.
  @Test(arguments: [(3_600, false), (3_601, true)] as [(Int64, Bool)])
  func aLostMarkCostsACloseOfAnOldLedgerAtMost(ahead: Int64, waits: Bool) async throws {
    let machine = Machine()
    // A quarter of an hour before midnight.
    machine.set { $0.wall = Instant(seconds: 1_795_219_100) }
    let place = try await place(machine)
    machine.set {
      $0.wall = $0.wall.adding(seconds: ahead)
      $0.elapsed += ahead
    }
    try place.remove("data/state/clock")
    for round in 0..<2 {
      #expect(
        try await reconcile(place, machine)
          == (waits ? Outcome(waits: true) : Outcome(closed: round == 0 ? 1 : 0)))
    }
  }

  /// Two answers in a row that are dated as the clock is; each of these is a number of seconds that an answer is before it.
  @Test(
    arguments: [
      ([0], false), ([0, 0], true), ([60, -60], true), ([0, 61, 0], false),
      ([0, -61, 0, 0], true),
      ([259_200, 259_200, 259_200], false), ([0, nil, 0], true),
    ] as [([Int64?], Bool)])
  func twoAnswersOfTheAPIConfirmIt(behind: [Int64?], isConfirmed: Bool) async throws {
    let machine = Machine()
    let clock = HeldClock(machine)
    clock.beginDoubt("after a boot", after: machine.now())
    let http = DatedAnswers(from: AnswersInTurn(behind, of: machine.now()), to: clock)
    for _ in behind {
      _ = try await http.send(HTTPRequest(url: "http://127.0.0.1/"))
    }
    #expect((clock.doubt == nil) == isConfirmed)
  }

  private final class AnswersInTurn: HTTPSending {
    private let dates: Lock<[Instant?]>

    init(_ behind: [Int64?], of wall: Instant) {
      dates = Lock(behind.reversed().map { $0.map { wall.adding(seconds: -$0) } })
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
      let date = dates.withLock { $0.removeLast() }
      let line = date.map { "Date: \(FaultWriter.httpDate($0))\r\n" } ?? ""
      return HTTPResponse(status: 200, headers: HTTPHeaders(lines: Array(line.utf8)))
    }
  }
}
