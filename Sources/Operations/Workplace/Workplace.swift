import Evidence
import Ledger
public import LedgerStore
import RewardRules
public import Scheduling
import Threading

/// A data folder opened for writing: the ledger, the book that follows it, and the clerk who alone may change it.
///
/// One at a time per data folder, in this process or any other. Close it when done.
public final class Workplace: Sendable {
  /// What the operator has decided.
  public let configuration: Configuration
  /// What the process brings.
  public let surroundings: WorkplaceSurroundings
  /// The ledger on disk; nil when nothing is to be written.
  public let store: LedgerStore?
  /// The one who judges and writes.
  public let clerk: Clerk
  /// The inbox on disk.
  public let inbox: InboxFolder
  /// Who looks at users; nil when no credentials for the API are configured.
  public let visitor: Visitor?
  let looks: LookJournal
  let api: APIAccess?
  let tail: Lock<LedgerTail>
  /// One at a time takes the inbox.
  let inboxTurns = Turnstile()
  /// One at a time packs segments.
  let compactions = Turnstile()
  private let rules: RuleBook
  private let draws: DrawSecret

  init(
    configuration: Configuration, surroundings: WorkplaceSurroundings, store: LedgerStore?,
    clerk: Clerk, inbox: InboxFolder, looks: LookJournal, api: APIAccess?, rules: RuleBook,
    draws: DrawSecret, tail: Lock<LedgerTail>
  ) {
    self.configuration = configuration
    self.surroundings = surroundings
    self.store = store
    self.clerk = clerk
    self.inbox = inbox
    self.looks = looks
    self.api = api
    self.rules = rules
    self.draws = draws
    self.tail = tail
    visitor = api.map { Visitor(api: $0.api, clerk: clerk, clock: surroundings.clock) }
  }

  /// Records the rules that the ledger does not hold yet. To be called once, when the clock is known to be right.
  public func putRulesIntoUse() async throws { _ = try await clerk.use(rules, draws: draws) }

  /// The data folder.
  public var directory: DataDirectory { DataDirectory(configuration.data) }

  /// The clock that stamps and decides.
  public var clock: any ServiceClock { surroundings.clock }

  /// How many requests to the API run at once.
  var width: Int { max(1, configuration.api.concurrency) }

  /// Records after which a new snapshot is worth its while.
  static let snapshotEvery = 10_000

  /// Keeps what is worth keeping and gives the data folder back.
  ///
  /// A snapshot and the journal of looks are caches: when they cannot be written, that is noted and nothing is lost.
  public func close() async {
    await keepState()
    guard let store else { return }
    let thread = BlockingThread(named: "rewards.close")
    _ = try? await thread.run { store.close() }
    api?.close()
  }

  /// Writes a snapshot when enough has happened since the last one, and shortens the journal of looks.
  public func keepState() async {
    guard let store else { return }
    let log = surroundings.log
    do {
      if tail.withLock({ $0.recordsSinceSnapshot }) >= Self.snapshotEvery {
        let (book, head) = await clerk.snapshot()
        try await BlockingThread(named: "rewards.snapshot").run {
          try store.writeSnapshot(payload: BookSnapshot.write(book), at: head)
        }
        tail.withLock { $0.recordsSinceSnapshot = 0 }
      }
      if looks.sizeBytes > 64 << 20 {
        let (entries, watermark) = await clerk.looksToKeep()
        try await looks.rewrite(entries, watermark: watermark)
      }
    } catch {
      log.warning("the state could not be kept", ["cause": .text("\(error)")])
    }
  }
}

/// What is known of the ledger's end besides the book.
struct LedgerTail: Sendable {
  /// Records read or written since the newest snapshot.
  var recordsSinceSnapshot = 0
  /// Told of each batch that reaches the disk.
  var listener: (@Sendable ([Record], LedgerHead) -> Void)?
}
