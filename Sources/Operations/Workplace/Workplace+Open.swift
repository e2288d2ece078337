import CivilTime
import Digests
import Evidence
import Ledger
import LedgerStore
import RewardRules
import Scheduling
import Threading

extension Workplace {
  /// Opens the data folder for writing: reads the newest snapshot and what came after it.
  ///
  /// Nothing is appended before ``putRulesIntoUse()``, so that the clock can be checked against what was there.
  ///
  /// Throws ``LedgerStore/LedgerError`` (locked, damaged, …), ``WorkplaceError``, ``SecretError``, or what a rules file
  /// has wrong; then nothing was changed. With `writes` false nothing is written at all, and the ledger need not exist.
  public static func open(
    _ configuration: Configuration, _ surroundings: WorkplaceSurroundings, writes: Bool = true
  ) async throws -> Workplace {
    let directory = DataDirectory(configuration.data)
    let zones = surroundings.zones
    let naiveZone = try zones.zone(named: configuration.api.timeZone)
    let draws = DrawSecret(
      try configuration.drawSecret.resolve(environment: surroundings.environment).bytes)
    let api = try APIAccess(configuration, surroundings)
    let tail = Lock(LedgerTail())
    let thread = BlockingThread(named: "rewards.open")
    let opened = try await thread.run {
      writes
        ? try openStore(directory, surroundings, tail, RelayCursors.heads(configuration))
        : OpenedLedger(store: nil, book: try readBook(directory))
    }
    let book = opened.book
    do {
      try check(draws, against: book)
      let loaded = try RulesFiles.load(configuration.rules).map(\.document)
      let rules = try RuleBook(book.documents + loaded)
      try check(rules, against: book)
      let context = JudgeContext(configuration, rules: rules, draws: draws)
      let looks = LookJournal(directory)
      let dry = InMemoryLedger(
        after: opened.head, keepsRecords: false, now: { surroundings.clock.now() })
      let clerk = Clerk(
        book: book, context: context, zones: zones, clock: surroundings.clock,
        ledger: opened.store ?? dry, looks: writes ? looks : ForgettingLooks())
      let kept = try await looks.read()
      await clerk.restore(kept.entries, watermark: kept.watermark)
      // Looks of a future that was not prove nothing.
      await clerk.voidLooks(after: surroundings.clock.now())
      return Workplace(
        configuration: configuration, surroundings: surroundings, store: opened.store,
        clerk: clerk, inbox: InboxFolder(directory, naiveZone: naiveZone), looks: looks, api: api,
        rules: rules, draws: draws, tail: tail)
    } catch {
      opened.store?.close()
      throw error
    }
  }

  private struct OpenedLedger: Sendable {
    let store: LedgerStore?
    let book: Book
    var head: LedgerHead { store?.head ?? LedgerHead(seq: book.seq, hash: .zero) }
  }

  private static func openStore(
    _ directory: DataDirectory, _ surroundings: WorkplaceSurroundings, _ tail: Lock<LedgerTail>,
    _ knownHeads: [LedgerHead]
  ) throws -> OpenedLedger {
    let clock = surroundings.clock
    let store = try LedgerStore.open(
      LedgerConfiguration(
        directory: directory, program: "rewards \(ProgramVersion.text)",
        command: surroundings.command),
      LedgerStore.Surroundings(
        clock: { clock.now() }, randomBytes: surroundings.randomBytes,
        onCommit: { records, head in
          let listener = tail.withLock { tail in
            tail.recordsSinceSnapshot += records.count + 1
            return tail.listener
          }
          listener?(records, head)
        }), knownHeads: knownHeads)
    do {
      note(store.report, surroundings.log)
      var book = Book()
      // A book stands at its last record, a snapshot at the seal behind it.
      var snapshotSeq: UInt64 = 0
      if let snapshot = try store.newestSnapshot() {
        do {
          book = try BookSnapshot.read(snapshot.payload)
          snapshotSeq = snapshot.head.seq
        } catch {
          surroundings.log.warning(
            "a snapshot was passed over",
            ["head": .text("\(snapshot.head)"), "cause": .text("\(error)")])
        }
      }
      let start = max(book.seq, snapshotSeq)
      try store.reader.readRecords(after: start) { book.apply($0) }
      let read = Int(store.head.seq - start)
      tail.withLock { $0.recordsSinceSnapshot = read }
      return OpenedLedger(store: store, book: book)
    } catch {
      store.close()
      throw error
    }
  }

  /// The book as the ledger has it up to its last seal; empty when there is no ledger.
  private static func readBook(_ directory: DataDirectory) throws -> Book {
    do {
      return try BookReading.read(LedgerReader.open(directory))
    } catch let error as LedgerError where error.kind == .missing {
      return Book()
    }
  }

  private static func note(_ report: OpeningReport, _ log: Log) {
    if let cut = report.cut {
      log.warning(
        "unsealed bytes at the end of the ledger were cut off",
        [
          "segment": .text(cut.segment), "byte": .number(cut.byte), "bytes": .number(cut.count),
          "kept": .text(cut.keptIn),
        ])
    }
    for skipped in report.skippedSnapshots {
      log.warning("a snapshot was passed over", ["cause": .text(skipped)])
    }
  }

  /// Whoever is to be judged must find rules on the first open day.
  private static func check(_ rules: RuleBook, against book: Book) throws {
    let judged = book.accounts.filter { !$0.isRemoved }
    guard let first = judged.map({ $0.boundaryDay.adding(days: 1) }).min() else { return }
    if let problem = rules.problem(judgedFrom: first) { throw problem }
  }

  /// The draws must stay repeatable: a ledger keeps the secret with which it was begun.
  private static func check(_ draws: DrawSecret, against book: Book) throws(WorkplaceError) {
    guard let known = book.drawKey, known != draws.fingerprint else { return }
    throw WorkplaceError(
      kind: .configuration,
      cause:
        "the draw secret (fingerprint \(draws.fingerprint)) is not the one of this ledger (\(known))",
      remedy: "configure the secret with which the ledger was begun as drawSecret")
  }
}

/// Keeps no looks: for whoever only shows what would be done.
struct ForgettingLooks: LookKeeping {
  func keep(_ entries: [LookEntry]) async {}
  func keep(watermark: InboxWatermark) async {}
}
