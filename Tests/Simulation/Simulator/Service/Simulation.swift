import CivilTime
import Configuration
import Digests
import Foundations
import Ledger
import LedgerStore
import Operations
import Sandbox
import Scheduling

/// One simulated history: a machine, the world around it, and everything that goes wrong, from the beginning to the
/// judgement.
///
/// It makes the executor's steps until none is ready, then lets time pass to the next sleeper or to the next event of
/// the world. Everything happens on the thread that calls ``run()``.
final class Simulation {
  /// More steps than this would be a loop without end, or somebody who runs in circles: thirty days of twenty users
  /// take some 200,000.
  private static let stepLimit = 4_000_000

  /// No disk is full, and no other process at the data folder, for so many starts in a row.
  private static let failureLimit = 80

  let world: World
  let schedule: Schedule
  let time: SimulatedTime
  let disk: SimulatedDisk
  let network: SimulatedNetwork
  let zones = SimulatedZones()
  let configuration: Configuration
  private var agenda: [(at: Instant, order: Int, act: () -> Void)] = []
  private var lastOrder = 0
  private var lastProcess = 0
  var service: ServiceProcess? {
    didSet { if service == nil { downSince = downSince ?? time.truth } }
  }
  private var downSince: Instant?
  /// When nobody could poll: the machine slept, or the service was down.
  var blind: [ClosedRange<Instant>] = []
  /// When what was seen could not be kept: a process died, or the disk took nothing.
  var losses: [ClosedRange<Instant>] = []
  /// When the API told lies.
  var lies: [ClosedRange<Instant>] = []
  /// When the service may be started again; nil while one runs.
  var restartAt: Instant?
  /// How often the service has not come up since it ran last.
  var failures = 0
  private var lastFailure = ""
  /// How often the service is killed while it starts.
  var killsAtStart = 0
  /// What other programs have put into the inbox.
  var told: [(at: Instant, text: [UInt8])] = []
  /// Since when files of the inbox may have been read by a wrong clock.
  var doubtful: [ClosedRange<Instant>] = []
  /// When the wall clock, by its own word, was ahead by five minutes at most, which nobody notices.
  var fast: [(times: ClosedRange<Instant>, bySeconds: Int64)] = []
  /// When names of zones were not known, by name.
  var gone: [String: [ClosedRange<Instant>]] = [:]
  /// Where users live by the roster.
  var homes: [String]
  /// First days of the rules that were written, each of which some may have once.
  var ruleDays: Set<Day> = []
  /// Commits that the service had acknowledged when it was last seen.
  private(set) var acknowledged: [LedgerHead] = []
  /// Who stumbled over the disk, until the step that did is over.
  private let stumbled = Lock<[(SimulatedDisk.Trap, ProcessNumber)]>([])
  /// What happened, for whoever looks into a failure.
  let diary: Lock<[String]>
  private let randomBytes: Lock<SplitMix64>
  /// What an operator found wrong while it went on.
  let complaints = Lock<[String]>([])
  let keepsDiary: Bool

  init(
    _ world: World, _ schedule: Schedule, disk: SimulatedDisk, keepsDiary: Bool = false
  ) throws {
    self.world = world
    self.schedule = schedule
    self.disk = disk
    self.keepsDiary = keepsDiary
    diary = Lock([])
    randomBytes = Lock(SplitMix64(seed: world.options.seed, 0xB17E))
    homes = world.homes
    Executor.shared.begin(seed: world.options.seed)
    time = SimulatedTime(at: world.begin)
    Executor.shared.bury(time)
    network = SimulatedNetwork(
      api: SimulatedAPI(life: world.life, clock: TrueClock(time: time)),
      clock: TrueClock(time: time))
    let stumbled = stumbled
    disk.begin(seed: world.options.seed) { trap, process in
      // At once: what the process still does in this step must have no effect.
      Executor.shared.kill(process)
      stumbled.withLock { $0.append((trap, process)) }
    }
    disk.put(Array(world.configuration.utf8), at: World.configurationFile)
    disk.put(world.roster(homes), at: World.roster)
    disk.put(Array(World.firstRules.utf8), at: World.rules)
    for (name, text) in world.jobs { disk.put(Array(text.utf8), at: "/jobs/\(name)") }
    disk.put([], at: "/var/tmp/.keep")
    disk.put([], at: "\(World.folder)/inbox/incoming/.keep")
    configuration = try ConfigurationLoader(environment: [:], zones: zones, files: disk).load(
      file: World.configurationFile)
  }

  /// What happened, a line each.
  var story: [String] { diary.withLock { $0 } }

  /// Runs the history to its end; throws ``Flaw`` when something is not as it must be.
  func run() throws {
    for file in world.inbox {
      plan(file.at) { [self] in
        put(file.text, file.name)
      }
    }
    for mishap in schedule.mishaps {
      let at = world.begin.adding(seconds: mishap.at)
      // The lie after a blindness that was healed before its end would begin too late for the last backfill to mend
      // what it hid.
      if at < world.healed { plan(at) { self.begin(mishap) } }
    }
    plan(world.healed) { self.heal() }
    plan(world.end.adding(seconds: -5_000)) {
      self.command { try await $0.run(.reconcile(confirms: true)) }
    }
    plan(world.end.adding(seconds: -4_000)) {
      self.command { try await $0.backfill(onlyPlans: false) }
    }
    plan(world.end.adding(seconds: -3_000)) { self.command { try await $0.replayDead() } }
    startService()
    try pass(to: world.end)
    try stopService()
  }

  // Time.

  func plan(_ at: Instant, _ act: @escaping () -> Void) {
    lastOrder += 1
    let entry = (at, lastOrder, act)
    let index = agenda.firstIndex { $0.at > at } ?? agenda.count
    agenda.insert(entry, at: index)
  }

  /// Other programs put a file into the inbox.
  func put(_ text: [UInt8], _ name: String) {
    told.append((time.truth, text))
    disk.put(text, at: "\(World.folder)/inbox/incoming/\(name)")
  }

  /// Lets true time pass, with everything that the world has planned until then.
  private func pass(to limit: Instant) throws {
    while let next = agenda.first, next.at <= limit {
      try passUndisturbed(to: next.at)
      agenda.removeFirst()
      next.act()
      note(acknowledgedBy: service)
    }
    try passUndisturbed(to: limit)
  }

  private func passUndisturbed(to limit: Instant) throws {
    repeat {
      while Executor.shared.step() {
        settleDeaths()
        if Executor.shared.stepCount > Self.stepLimit {
          throw Flaw("endless", "no end of the work in hand at \(time.truth)")
        }
      }
      superviseService()
      if failures > Self.failureLimit {
        throw Flaw("down", "the service does not come up any more at \(time.truth): \(lastFailure)")
      }
    } while time.advance(to: restartAt.map { min($0, limit) } ?? limit) || isRestartDue(limit)
  }

  private func isRestartDue(_ limit: Instant) -> Bool {
    guard let due = restartAt, due <= time.truth else { return false }
    startService()
    return true
  }

  // Processes.

  func environment(_ command: String) -> RuntimeEnvironment {
    let clock = MachineClock(time: time)
    var environment = RuntimeEnvironment(
      clock: clock, zones: zones, reloadZones: { [zones] in zones.reload() },
      variables: World.variables,
      log: Log(level: keepsDiary ? .info : .error, layout: .logfmt, clock: clock) {
        [keepsDiary, diary] line in
        if keepsDiary {
          diary.withLock {
            $0.append(
              "\(Executor.shared.stepCount) \(String(decoding: line.dropLast(), as: UTF8.self))")
          }
        }
      },
      randomBytes: { [randomBytes] count in
        randomBytes.withLock { random in
          (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
      }, command: command, actor: "operator")
    environment.connect = { [network] _, _ in SimulatedConnections(network: network) }
    return environment
  }

  func makeProcess() -> ProcessNumber {
    lastProcess += 1
    return lastProcess
  }

  private func startService() {
    restartAt = nil
    note("the service starts")
    // A new process reads the zones that are installed.
    _ = zones.reload()
    service = ServiceProcess(makeProcess(), configuration, environment("rewards serve"))
  }

  /// Notices that the service has ended, and has it started again after a while.
  private func superviseService() {
    guard let process = service else { return }
    switch process.phase {
    case .starting: return
    case .running:
      failures = 0
      if let since = downSince { blind.append(since...time.truth) }
      downSince = nil
      return
    case .ended: note("the service has ended")
    case .failed(let reason):
      note("the service failed: \(reason)")
      failures += 1
      lastFailure = reason
    }
    service = nil
    disk.release(process.number)
    // As a supervisor does: again soon, then less often.
    if restartAt == nil { restartAt = time.truth.adding(seconds: min(600, 10 << min(6, failures))) }
  }

  /// Takes away whoever died in the last step.
  private func settleDeaths() {
    let deaths = stumbled.withLock { stumbled in
      defer { stumbled = [] }
      return stumbled
    }
    // What was acknowledged up to the last moment must be there when the service starts again.
    if !deaths.isEmpty { note(acknowledgedBy: service) }
    for (trap, process) in deaths {
      losses.append(time.truth...time.truth)
      note("\(trap) of process \(process)")
      switch trap {
      case .kill:
        disk.release(process)
        if service?.number == process {
          service = nil
          restartAt = time.truth.adding(seconds: 5)
        }
      case .losePower: losePower()
      }
      guard killsAtStart > 0 else { continue }
      killsAtStart -= 1
      // Opening a data folder makes some twenty calls that change something.
      disk.set(killsAtStart % 2 == 0 ? .kill : .losePower, afterCalls: 3 + killsAtStart * 5)
    }
  }

  private func losePower() {
    for process in 0...lastProcess where process > 0 { Executor.shared.kill(process) }
    service = nil
    disk.losePower()
    time.reboot()
    restartAt = time.truth.adding(seconds: 30)
  }

  /// Stops the service as a supervisor does.
  private func stopService() throws {
    service?.tell { $0.stop() }
    restartAt = .latest
    try pass(to: time.truth.adding(seconds: 600))
    guard service == nil else { throw Flaw("stop", "the service has not stopped in 600 s") }
  }

  func note(acknowledgedBy process: ServiceProcess?) {
    guard let head = process?.head, head != acknowledged.last else { return }
    acknowledged.append(head)
  }

  func note(_ text: String) {
    if keepsDiary {
      diary.withLock { $0.append("\(Executor.shared.stepCount) \(time.truth) \(text)") }
    }
  }

  /// Runs `body` in a process of its own to its end and returns what came of it.
  func ask<Result: Sendable>(
    _ body: @escaping @Sendable (Configuration, RuntimeEnvironment) async throws -> Result
  ) throws -> Result {
    let (configuration, environment) = (configuration, environment("rewards audit"))
    let answer = Lock<Swift.Result<Result, any Error>?>(nil)
    Executor.shared.act(as: makeProcess()) {
      _ = Task {
        do {
          let result = try await body(configuration, environment)
          answer.withLock { $0 = .success(result) }
        } catch {
          answer.withLock { $0 = .failure(error) }
        }
      }
    }
    for _ in 0..<1_000 where answer.withLock({ $0 == nil }) {
      try pass(to: time.truth.adding(seconds: 1))
    }
    guard let result = answer.withLock({ $0 }) else {
      throw Flaw("endless", "a command does not end")
    }
    return try result.get()
  }

  /// A number that stands for every byte on the disk and beyond.
  var digest: String {
    var hash = SHA256()
    for (name, bytes) in disk.contents(of: "/") {
      hash.update(Array(name.utf8))
      hash.update(bytes)
    }
    for event in network.receiver.events { hash.update(event.body) }
    return String(hash.finish().description.prefix(16))
  }
}

/// Something that is not as it must be: which check found it, and what.
struct Flaw: Error, CustomStringConvertible {
  let check: String
  let text: String

  init(_ check: String, _ text: String) {
    self.check = check
    self.text = text
  }

  var description: String { "\(check): \(text)" }
}
