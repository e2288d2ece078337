import AuditPage
import CivilTime
import Configuration
import Evidence
import Foundations
import HTTPClient
import HTTPServer
import Ledger
import LedgerStore
import NotificationRelay
import Operations
import RewardRules
import Sandbox
import Scheduling

/// The whole system on one machine: real HTTP, a real ledger, a real cursor; only the world and the clock are simulated.
///
/// In a process of its own everything happens on one thread (``DemoThread``), and the seed decides every byte of the ledger.
struct Demo {
  /// The outcome of a demo.
  struct Outcome {
    var served = ServedCounts()
    var ledger = DemoLedger()
    var findings = DemoCheck.Findings()
    var verification = VerificationReport()
    var secondRun = 0
    var events = 0
    var isDelivered = false
    /// The ids of events that the webhook's receiver lacks, has beyond those of the file, or received out of a user's order.
    var hookFlaws: [String] = []
    var closes = DemoCloses.Findings()
    var fires: [JobAudit.Finding] = []
    var balance: Balance?
    /// The days that the outage hid.
    var hidden: HiddenDays?
    /// The user whom a backfill helps most.
    var helped: HelpedUser?

    /// The fires that left no record or two, or whose run ended badly.
    var badFires: [JobAudit.Finding] {
      let bad: Set<JobAudit.Verdict> = [.missed, .failed, .doubled]
      return fires.filter { bad.contains($0.verdict) }
    }

    var isClean: Bool {
      findings.isClean && verification.isIntact && secondRun == 0 && isDelivered
        && hookFlaws.isEmpty
        && closes.wrong.isEmpty && badFires.isEmpty
    }
  }

  let world: DemoWorld
  let context: CommandContext
  /// The only thread of the process, which lets the seed decide the order of everything; nil where others share the process.
  let thread: DemoThread?
  private let random: Lock<SplitMix64>

  /// Creates a demo that has not begun.
  init(world: DemoWorld, context: CommandContext, thread: DemoThread?) {
    self.world = world
    self.context = context
    self.thread = thread
    random = Lock(SplitMix64(seed: world.options.seed, 0x1d5))
  }

  /// Runs the world to its end and checks the result; throws when something cannot even be set up.
  func run(progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void) async throws
    -> Outcome
  {
    let folder = try DemoFolder(creating: world.options.folder)
    let clock = VirtualClock(at: world.begin, until: world.begin)
    let api = SimulatedAPI(life: world.life, clock: clock, faults: world.faults)
    let server = try api.start()
    let receiver = RelayReceiver()
    let hook = try receiver.start()
    try write(
      folder, baseURL: SimulatedAPI.baseURL(of: server),
      hook: "http://127.0.0.1:\(hook.port)/events")
    let configuration = try ConfigurationLoader(environment: [:], zones: context.zones).load(
      file: "\(folder.path)/rewards.json", flags: [:])

    var outcome = Outcome()
    let runtime = try await live(configuration, clock, progress)
    outcome.secondRun = await secondRun(at: runtime)
    outcome.isDelivered = try await isDelivered(at: runtime)
    await runtime.close()
    await server.stop()
    await hook.stop()
    outcome.served = api.counts
    outcome = try await check(configuration.directory, &outcome)
    let reading = environment(clock)
    outcome.helped = try await BackfillPlanner(configuration, reading).propose(
      BackfillOrder(days: nil), in: LedgerReading.open(configuration.directory)
    ).flatMap { HelpedUser.most(by: $0.plan) }
    try await writePage(Audit(configuration, reading), to: folder)
    try folder.write(
      world.configuration(
        baseURL: SimulatedAPI.baseURL(of: server), hook: "http://127.0.0.1:\(hook.port)/events",
        isOver: true), to: "rewards.json")
    outcome.hookFlaws = try DemoHook(files: ["\(world.options.folder)/events.jsonl"]).flaws(
      receiver)
    return outcome
  }

  private func write(_ folder: DemoFolder, baseURL: String, hook: String) throws {
    try folder.write(world.configuration(baseURL: baseURL, hook: hook), to: "rewards.json")
    try folder.write(world.roster, to: "users.jsonl")
    try folder.write(DemoWorld.nightlyJob, to: "jobs/nightly-reconciliation.json")
    try folder.write("draws of the demo\n", to: "draw-secret", isSecret: true)
    try folder.write(SimulatedAPIOptions().token, to: "api-token", isSecret: true)
    try folder.write(DemoWorld.relaySecret, to: "relay-secret", isSecret: true)
  }

  /// Returns where a demo in `folder` leaves the audit's page.
  static func page(in folder: String) -> String { "\(folder)/audit.html" }

  private func writePage(_ audit: Audit, to folder: DemoFolder) async throws {
    var page: [UInt8] = []
    AuditPage(try await audit.runForPage()).write { page += $0 }
    try PosixFileSystem().replace(Self.page(in: folder.path), with: [page])
  }

  private func environment(_ clock: VirtualClock) -> RuntimeEnvironment {
    var environment = context.runtimeEnvironment("rewards demo")
    environment.clock = clock
    environment.machineClock = context.environment.clock
    environment.actor = "demo"
    environment.randomBytes = { [random] count in
      random.withLock { random in (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      }
    }
    if let thread {
      environment.connect = { connections, addresses in
        DemoConnections(
          http: HTTPClient(concurrentTransfers: connections, addresses: addresses), clock: clock,
          thread: thread)
      }
    }
    return environment
  }

  /// Lets time pass from beginning to end, an hour at a time, and returns the runtime at the end.
  ///
  /// At the restart hours, stops the service, closes its data folder and opens it again.
  private func live(
    _ configuration: Configuration, _ clock: VirtualClock,
    _ progress: @Sendable (_ done: Int, _ total: Int) -> Void
  ) async throws -> Runtime {
    var shift = try await DemoShift.start(configuration, environment(clock), clock)
    let zone = try context.zones.zone(named: configuration.api.timeZone)
    let feeding = zip(
      configuration.sources, [DemoLine.backend(of: world), DemoLine.shop(of: world)]
    )
    .map { source, lines in
      feed(
        InboxFolder(configuration.directory, of: source.terms, naiveZone: zone), lines, clock)
    }
    let hours = Int(world.end.seconds(since: world.begin) / 3_600)
    let restarts = Set(world.restartHours)
    for hour in 1...hours {
      await clock.run(until: world.begin.adding(seconds: Int64(hour) * 3_600))
      progress(hour, hours)
      if restarts.contains(hour) {
        await shift.end().close()
        shift = try await DemoShift.start(configuration, environment(clock), clock)
      }
    }
    let runtime = await shift.end()
    for feeder in feeding { await feeder.value }
    return runtime
  }

  private func feed(
    _ inbox: InboxFolder, _ lines: [DemoLine], _ clock: VirtualClock
  ) -> Task<Void, Never> {
    let feeder = DemoFeeder(world: world, clock: clock, lines: lines) {
      try await inbox.handOver($0, as: $1)
    }
    let log = context.log
    return clock.start {
      do {
        try await feeder.run()
      } catch {
        log.error("the inbox was not fed to the end", ["cause": .text("\(error)")])
      }
    }
  }

  /// Returns how many records a second judging of everybody would append.
  private func secondRun(at runtime: Runtime) async -> Int {
    let users = await runtime.writer.read { Array($0.ledger.accounts.indices) }
    return await OpenDayEvaluation(runtime.writer).missingCount(of: users)
  }

  /// Whether the sinks' cursors are at the ledger's head.
  private func isDelivered(at runtime: Runtime) async throws -> Bool {
    guard let store = runtime.store else { return false }
    return try ["journal", "notify"].allSatisfy { sink in
      try SinkFolder(sink, in: runtime.directory).progress().cursor == store.head
    }
  }

  private func check(_ directory: DataDirectory, _ outcome: inout Outcome) async throws -> Outcome {
    outcome.verification = try await LedgerReading.verify(directory, heads: [])
    let reader = try await LedgerReading.open(directory)
    let ledger = try await BlockingThread(named: "demo.read").run {
      var ledger = DemoLedger()
      try reader.scan { ledger.add($0) }
      return ledger
    }
    outcome.ledger = ledger
    outcome.closes = try DemoCloses(zones: context.zones).check(ledger.closes)
    let jobs = try JobFolder.all(
      in: "\(world.options.folder)/jobs", among: directory.files, zones: context.zones)
    outcome.fires = try await JobAudit.read(
      reader, jobs: jobs, zones: context.zones, now: world.end
    ).findings(from: .earliest, to: .latest)
    outcome.findings = DemoCheck(world: world, ledger: ledger).run()
    let events = try PosixFileSystem().readInput(
      "\(world.options.folder)/events.jsonl", limitBytes: 1 << 30)
    outcome.events = events.count { $0 == UInt8(ascii: "\n") }
    outcome.hidden = try await HiddenDays.read(
      reader, gapSeconds: ExcuseCommand.usualGapSeconds)
    let book = try await StateReading.read(reader)
    outcome.balance = book.accounts.map(\.id).compactMap { book.balance(of: $0) }
      .max { ($0.streak.length, $0.points) < ($1.streak.length, $1.points) }
    return outcome
  }
}

/// One run of the service in a demo, from start to stop.
struct DemoShift {
  private let runtime: Runtime
  private let signals: ServiceSwitch
  private let running: Task<Void, Never>

  /// Opens the data folder and starts the service on it.
  static func start(
    _ configuration: Configuration, _ environment: RuntimeEnvironment, _ clock: VirtualClock
  ) async throws -> DemoShift {
    let runtime = try await Runtime.open(configuration, environment)
    let signals = ServiceSwitch()
    let service = try await Service.start(runtime, signals: signals)
    return DemoShift(
      runtime: runtime, signals: signals, running: clock.start { await service.run() })
  }

  /// Stops the service and returns its runtime, still open.
  func end() async -> Runtime {
    signals.stop()
    await running.value
    return runtime
  }
}
