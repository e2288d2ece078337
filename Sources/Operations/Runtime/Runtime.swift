public import Configuration
import Engine
import Evidence
import Ledger
public import LedgerStore
import LinuxShims
import RewardRules
public import Scheduling
import Threading

/// A data folder opened for writing: the ledger, the state that follows it, and the writer who alone may change it.
///
/// One at a time per data folder, in this process or any other. Close it when done.
public final class Runtime: Sendable {
  /// What the operator has decided.
  public let configuration: Configuration
  /// What the process brings.
  public let environment: RuntimeEnvironment
  /// The ledger on disk; nil when nothing is to be written.
  public let store: LedgerStore?
  /// The one who changes the ledger.
  public let writer: LedgerWriter
  /// The inbox on disk.
  public let inbox: InboxFolder
  /// Takes lines of the inbox in.
  public let inboxIntake: InboxIntake
  /// Who looks at users; nil when no credentials for the API are configured.
  public let poller: Poller?
  let looks: LookJournal
  /// The clock of ``environment``.
  let heldClock: HeldClock
  /// What `state/clock` says of this boot.
  let clockMark: Lock<ClockReading?>
  let api: APIAccess?
  let tail: Lock<LedgerTail>
  /// What was committed since this was opened.
  let figures: Lock<CommitFigures>
  /// The sinks of the service that runs here.
  let relay = RunningRelay()
  /// One at a time reads the inbox.
  let inboxTurns = AsyncMutex()
  /// One at a time tells other shards.
  let shardTells = AsyncMutex()
  /// One at a time packs segments.
  let compactions = AsyncMutex()
  private let rules: [RulesDocument]

  init(
    configuration: Configuration, environment: RuntimeEnvironment, heldClock: HeldClock,
    clockMark: ClockReading?, store: LedgerStore?,
    writer: LedgerWriter, past: any PastReading, inbox: InboxFolder, looks: LookJournal,
    api: APIAccess?, rules: [RulesDocument], tail: Lock<LedgerTail>, figures: Lock<CommitFigures>
  ) {
    self.configuration = configuration
    self.environment = environment
    self.heldClock = heldClock
    self.clockMark = Lock(clockMark)
    self.store = store
    self.writer = writer
    self.inbox = inbox
    self.looks = looks
    self.api = api
    self.rules = rules
    self.tail = tail
    self.figures = figures
    // Whoever only shows what would be done keeps no looks.
    let keeper: any LookKeeping = store == nil ? ForgettingLooks() : looks
    inboxIntake = InboxIntake(
      writer, keeping: keeper, past: past, limits: HandLimits(configuration),
      of: { configuration.holds($0) })
    poller = api.map { api in
      Poller(
        api: api.api, writer: writer, intake: LookIntake(writer, keeping: keeper, past: past),
        clock: environment.clock)
    }
  }

  /// The rule that what is too much for one person is wanted by two.
  public var secondActor: SecondActor { SecondActor(writer, HandLimits(configuration)) }

  /// Records the rules that the ledger does not hold yet. To be called once, when the clock is known to be right.
  public func putRulesIntoUse() async throws {
    markClock()
    _ = try await RulesUse(writer).put(rules, by: environment.actor)
  }

  /// The data folder.
  public var directory: DataDirectory { configuration.directory }

  /// The clock that stamps and decides.
  public var clock: any ServiceClock { environment.clock }

  /// How many requests to the API run at once.
  var width: Int { configuration.requestsAtOnce }

  /// Records after which a new snapshot is worth its while.
  static let snapshotEvery = 10_000

  /// Keeps what is worth keeping and gives the data folder back.
  ///
  /// A snapshot and the journal of looks are caches: when they cannot be written, that is noted and nothing is lost.
  public func close() async {
    await keepState()
    api?.close()
    guard let store else { return }
    await looks.flush()
    let thread = BlockingThread(named: "rewards.close")
    _ = try? await thread.run { store.close() }
  }

  /// Writes a snapshot when enough has happened since the last one, shortens the journal of looks, and marks the clock.
  public func keepState() async {
    guard let store else { return }
    markClock()
    let log = environment.log
    do {
      if tail.withLock({ $0.recordsSinceSnapshot }) >= Self.snapshotEvery {
        let (state, head) = try await writer.snapshot()
        try await BlockingThread(named: "rewards.snapshot").run {
          try store.writeSnapshot(
            payload: StateSnapshot.write(state), at: head, recordedAt: state.at)
          try store.reader.keepIndexes()
          linux_return_free_memory()
        }
        tail.withLock { $0.recordsSinceSnapshot = 0 }
      }
      await looks.flush()
      let users = await writer.read { $0.ledger.accounts.count }
      if let (habits, ledger) = await LookMemory(writer).habitsToKeep() {
        try await BlockingThread(named: "rewards.habits").run { [directory] in
          try HabitFile(directory).write(habits, ledger: ledger)
        }
      }
      if looks.isWorthRewriting(entries: users * Source.polled.count) {
        await LookMemory(writer).rewrite(in: looks)
      }
    } catch {
      log.warning("the state could not be kept", ["cause": .text("\(error)")])
    }
  }

  /// Packs all segments but the newest `keeping`, one compaction at a time; throws ``LedgerStore/LedgerError``.
  public func compact(keeping: Int) async throws -> [LedgerCompaction.Packed] {
    let directory = directory
    if directory.isInDatabase { return [] }
    return try await compactions.withLock {
      try await BlockingThread(named: "rewards.compact").run {
        try LedgerCompaction(directory).run(keeping: keeping)
      }
    }
  }
}

/// What is known of the ledger's end besides the state.
struct LedgerTail: Sendable {
  /// Records read or written since the newest snapshot.
  var recordsSinceSnapshot = 0
  /// Told of each batch that reaches the disk.
  var listener: (@Sendable () -> Void)?
}
