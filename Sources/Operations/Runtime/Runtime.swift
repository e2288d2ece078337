package import Configuration
import Engine
import Evidence
import Foundations
import Ledger
package import LedgerStore
import LinuxShims
import RewardRules
package import Scheduling

/// A data folder opened for writing: the ledger, the state that follows it, and its only writer.
///
/// Only one may exist per data folder, in this process or any other. Close it when done.
package final class Runtime: Sendable {
  /// The operator's settings.
  package let configuration: Configuration
  /// The services of the surrounding process.
  package let environment: RuntimeEnvironment
  /// The ledger on disk; nil in a dry run.
  package let store: LedgerStore?
  /// The only writer of the ledger.
  package let writer: LedgerWriter
  /// The inboxes on disk: the hand's, then those of the configured sources.
  package let inboxes: [InboxFolder]
  /// The intake of inbox lines.
  package let inboxIntake: InboxIntake
  /// The poller of users; nil when no API credentials are configured.
  package let poller: Poller?
  let looks: LookJournal
  /// The clock of ``environment``.
  let heldClock: HeldClock
  /// The reading in `state/clock` for this boot.
  let clockMark: Lock<ClockReading?>
  let api: APIAccess?
  let tail: Lock<LedgerTail>
  /// Figures about what was committed since this was opened.
  let figures: Lock<CommitFigures>
  /// The sinks of the service running here.
  let relay = RunningRelay()
  /// Allows one reading of the inbox at a time.
  let inboxTurns = AsyncMutex()
  /// Allows one report to the other shards at a time.
  let shardPublishing = AsyncMutex()
  /// Allows one compaction at a time.
  let compactions = AsyncMutex()
  /// The users who were forgotten. Includes one as soon as somebody begins to forget them.
  let forgotten: Lock<Set<String>>
  /// The configured rules documents, as read at the opening.
  let rules: [RulesDocument]

  init(
    configuration: Configuration, environment: RuntimeEnvironment, heldClock: HeldClock,
    clockMark: ClockReading?, store: LedgerStore?,
    writer: LedgerWriter, past: any PastReading, inboxes: [InboxFolder], looks: LookJournal,
    api: APIAccess?, rules: [RulesDocument], forgotten: Set<String> = [], tail: Lock<LedgerTail>,
    figures: Lock<CommitFigures>
  ) {
    self.configuration = configuration
    self.environment = environment
    self.heldClock = heldClock
    self.clockMark = Lock(clockMark)
    self.store = store
    self.writer = writer
    self.inboxes = inboxes
    self.looks = looks
    self.api = api
    self.rules = rules
    self.forgotten = Lock(forgotten)
    self.tail = tail
    self.figures = figures
    // A dry run stores no polls.
    let keeper: any LookKeeping = store == nil ? NoLooks() : looks
    inboxIntake = InboxIntake(
      writer, keeping: keeper, past: past, sources: configuration.sources.map(\.name),
      of: { configuration.holds($0) })
    poller = api.map { api in
      Poller(
        api: api.api, writer: writer, intake: LookIntake(writer, keeping: keeper, past: past),
        clock: environment.clock)
    }
  }

  /// The rule that a second person must approve what exceeds one person's limits.
  package var secondActor: SecondActor { SecondActor(writer) }

  /// The inbox of what people hand in.
  package var inbox: InboxFolder { inboxes[0] }

  /// The data folder.
  package var directory: DataDirectory { configuration.directory }

  /// The clock for timestamps and decisions.
  package var clock: any ServiceClock { environment.clock }

  /// The maximum number of concurrent API requests.
  var width: Int { configuration.requestsAtOnce }

  /// The number of records after which a new snapshot pays off.
  static let snapshotEvery = 10_000

  /// Saves the state and releases the data folder.
  ///
  /// Snapshots and the journal of polls are caches: when they cannot be written, that is logged and nothing is lost.
  package func close() async {
    await saveState()
    api?.close()
    guard let store else { return }
    await looks.flush()
    let thread = BlockingThread(named: "rewards.close")
    _ = try? await thread.run { store.close() }
  }

  /// Writes a snapshot when enough has been recorded since the last one, shortens the journal of polls, and marks the
  /// clock.
  package func saveState() async {
    guard let store else { return }
    markClock()
    let log = environment.log
    do {
      if tail.withLock({ $0.recordsSinceSnapshot }) >= Self.snapshotEvery {
        let (state, head) = try await writer.snapshot()
        try await BlockingThread(named: "rewards.snapshot").run {
          try store.writeSnapshot(
            payload: StateSnapshot.write(state), at: head, recordedAt: state.at)
          try store.reader.buildIndexes()
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
      log.warning("the state could not be saved", ["cause": .text("\(error)")])
    }
  }

  /// Packs all segments but the newest `keeping`, one compaction at a time; throws ``LedgerStore/LedgerError``.
  package func compact(keeping: Int) async throws -> [LedgerCompaction.Packed] {
    let directory = directory
    if directory.isInDatabase { return [] }
    return try await compactions.withLock {
      try await BlockingThread(named: "rewards.compact").run {
        try LedgerCompaction(directory).run(keeping: keeping)
      }
    }
  }
}

/// Facts about the end of the ledger that are not in the state.
struct LedgerTail: Sendable {
  /// The number of records read or written since the newest snapshot.
  var recordsSinceSnapshot = 0
  /// Called after each batch that reaches the disk.
  var listener: (@Sendable () -> Void)?
}
