import CivilTime
import Engine
import Evidence
import Foundations
import Ledger
import LedgerStore
import RewardRules
import Sandbox
import Scheduling

@testable import Operations

/// The jobs of a service over a ledger in memory, whose process can die and begin again.
final class JobScene {
  let place: TestPlace
  let clock: VirtualClock
  let ledger: DyingLedger
  private(set) var runtime: Runtime
  private(set) var runner: JobRunner
  private let jobs: [Job]

  static let nightly = #"{"name":"n","schedule":"30 0 * * *","timeZone":"user","do":["reconcile"]}"#

  /// A scene that begins at `begin` with the users of `roster`, for whom the jobs are in force from then on, or are yet to come.
  init(
    _ texts: [String], at begin: String, roster: [String], isInForce: Bool = true
  ) async throws {
    place = try TestPlace()
    clock = VirtualClock(at: try Self.instant(begin))
    for (index, text) in texts.enumerated() { try place.write("jobs/\(index).json", text) }
    jobs = try JobFolder.all(
      in: "\(place.path)/jobs", among: PosixFileSystem(), zones: TestPlace.zones)
    ledger = DyingLedger(clock: clock)
    runtime = try await Self.open(place, clock, ledger)
    runner = JobRunner(runtime, jobs: jobs)
    try await runtime.recordRules()
    try await take(roster)
    for job in jobs where job.isEnabled && isInForce {
      let positions = await runtime.writer.positions(of: job)
      try await runtime.writer.appendBeginnings(of: job, at: positions, TestPlace.zones)
    }
  }

  var job: Job { jobs[0] }
  var runs: [RunRecord] {
    ledger.records.compactMap { if case .run(let run) = $0.body { run } else { nil } }
  }
  /// The closed days, as `ZONE/DAY`, in the order of the ledger.
  var closes: [String] {
    ledger.records.compactMap {
      if case .close(let close) = $0.body { "\(close.zone)/\(close.window.day)" } else { nil }
    }
  }
  /// Each run as `LOCAL outcome`, in the order of the ledger.
  func history(in zone: String) -> [String] {
    runs.filter { $0.zone == zone }.map { "\($0.nominalLocal) \($0.outcome)" }
  }

  func take(_ roster: [String]) async throws {
    _ = try await RosterImport(runtime.writer).run(
      RosterFile(Array(roster.joined(separator: "\n").utf8)), defaultZone: "Asia/Tokyo", by: "test")
  }

  /// A new process: what it knows went through a snapshot of the records.
  func restart() async throws {
    ledger.revive()
    runtime = try await Self.open(place, clock, ledger)
    runner = JobRunner(runtime, jobs: jobs)
  }

  func sleep(until text: String) async throws { try await sleep(until: Self.instant(text)) }

  private func sleep(until instant: Instant) async throws {
    clock.beginWork()
    defer { clock.endWork() }
    try await clock.sleep(until: instant)
  }

  /// Runs what is due, as a service does, until nothing is or the process dies.
  func runDue() async {
    clock.beginWork()
    defer { clock.endWork() }
    while !ledger.isDead {
      let fires = await runner.claimDueFires().fires
      if fires.isEmpty { return }
      for fire in fires where !ledger.isDead { await runner.run(fire) }
    }
  }

  /// Serves until `end`; a process that dies is followed by another one a minute later.
  func serve(until end: String) async throws {
    let end = try Self.instant(end)
    while clock.now() < end {
      await runDue()
      if ledger.isDead {
        try await sleep(until: clock.now().adding(seconds: 60))
        try await restart()
        continue
      }
      try await sleep(until: min(await runner.nextBegin() ?? end, end))
    }
  }

  /// One run without a service.
  func runOnce(onlyDue: Bool = true) async throws -> SingleRun.Report {
    clock.beginWork()
    defer { clock.endWork() }
    return try await SingleRun(runtime, job).run(onlyDue: onlyDue)
  }

  func pause() async throws {
    try await runtime.writer.append(
      .operator(
        OperatorRecord(act: .pause, subject: job.name, reason: "moving", actor: "tester")))
  }

  func resume() async throws {
    try await JobPauses(runtime).recordSkipped(job: job.name)
    try await runtime.writer.append(
      .operator(
        OperatorRecord(act: .resume, subject: job.name, reason: "", actor: "tester")))
  }

  /// What an audit of all records says now.
  func audit() -> [JobAudit.Finding] {
    var audit = JobAudit(jobs: jobs, zones: TestPlace.zones, now: clock.now())
    for record in ledger.records { audit.add(record) }
    return audit.findings(from: .earliest, to: .latest)
  }

  static func instant(_ text: String) throws -> Instant {
    let utc = try TestPlace.zones.zone(named: "Etc/UTC")
    return try InstantText.parse(text, naiveZone: utc).instant
  }

  private static func open(
    _ place: TestPlace, _ clock: VirtualClock, _ ledger: DyingLedger
  ) async throws -> Runtime {
    let configuration = try place.configuration()
    let state = try StateSnapshot.read(
      StateSnapshot.write(ledger.records.reduce(into: LedgerState()) { $0.apply($1) }))
    let terms = EngineTerms(
      draws: DrawSecret([1, 2, 3]), lagSeconds: 10,
      watched: KindSet(ActivityKind.allCases.filter { $0.source == .inbox }))
    let writer = LedgerWriter(
      WorkingState(state, terms: terms, zones: TestPlace.zones, clock: clock), ledger: ledger)
    let directory = place.directory
    return Runtime(
      configuration: configuration, environment: place.environment(clock),
      heldClock: HeldClock(clock), clockMark: nil, store: nil,
      writer: writer, past: ledger,
      inboxes: [InboxFolder(directory, naiveZone: try TestPlace.zones.zone(named: "Etc/UTC"))],
      looks: LookJournal(directory), api: nil, rules: [.builtIn], tail: Lock(LedgerTail()),
      figures: Lock(CommitFigures()))
  }
}
