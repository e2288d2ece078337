import CivilTime
package import Configuration
import Digests
import Engine
import Evidence
import Foundations
import Ledger
import LedgerStore
import RewardRules
import Scheduling

extension Runtime {
  /// Opens the data folder for writing: reads the newest snapshot and what came after it.
  ///
  /// Appends nothing before ``recordRules()``, so that the clock can be checked against the existing records.
  ///
  /// Throws ``LedgerStore/LedgerError`` (locked, damaged, …), ``RuntimeError``, ``Configuration/SecretError``, or the problems of
  /// a rules file; then nothing was changed. With `writes` false nothing is written at all, and the ledger need not exist.
  package static func open(
    _ configuration: Configuration, _ environment: RuntimeEnvironment, writes: Bool = true
  ) async throws -> Runtime {
    try await RuntimeOpening(configuration, environment).open(writes: writes)
  }
}

/// Opens a data folder: reads the ledger, and rejects unusable settings and data before anything is changed.
struct RuntimeOpening: Sendable {
  private let configuration: Configuration
  /// The environment with the held clock.
  private let environment: RuntimeEnvironment
  private let clock: HeldClock
  private let directory: DataDirectory
  /// Nil when there is nothing to compare the clock with: in a database, and when the clock names no boot.
  private let clockMark: ClockMark.Finding?
  private let tail = Lock(LedgerTail())
  private let figures = Lock(CommitFigures())

  init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    directory = configuration.directory
    clockMark = ClockMark.read(in: directory, boot: environment.clock.boot)
    clock = HeldClock(environment.clock, since: clockMark?.reading)
    var environment = environment
    environment.clock = clock
    self.environment = environment
  }

  /// Opens the runtime; see ``Runtime/open(_:_:writes:)``.
  func open(writes: Bool) async throws -> Runtime {
    let naiveZone = try environment.zones.zone(named: configuration.api.timeZone)
    let terms = try EngineTerms(configuration, variables: environment.variables)
    let api = try APIAccess(configuration, datingAnswers)
    let opened = try await BlockingThread(named: "rewards.open").run {
      writes
        ? try openStore(knowing: LedgerReading.headsElsewhere(configuration))
        : OpenedLedger(store: nil, state: try readState())
    }
    do {
      try checkPresent(against: opened.state)
      try checkShare(against: opened.state)
      try opened.state.require(terms.draws)
      try checkSecret(against: opened.state)
      if environment.machineClock == nil,
        let doubt = clockMark?.doubt(of: clock, after: opened.state)
      {
        clock.beginDoubt(doubt, after: opened.state.at)
      }
      let rules = try await BlockingThread(named: "rewards.rules").run { [configuration] in
        try RulesFiles.load(configuration).map(\.document)
      }
      try RulesLoading.check(rules, against: opened.state)
      let dry = InMemoryLedger(
        after: opened.head, keepsRecords: false, now: { environment.clock.now() })
      let looks = LookJournal(directory)
      let working = try await BlockingThread(named: "rewards.looks").run {
        [environment, directory] in
        var working = WorkingState(
          opened.state, terms: terms, zones: environment.zones, clock: environment.clock)
        if let loss = try looks.restore(&working, now: environment.clock.now()) {
          environment.log.warning(
            "the saved polls cannot be read: what they proved is unknown",
            ["cause": .text("\(loss)")])
        }
        working.restore(try HabitFile(directory).read(ledger: opened.state.ledger))
        return working
      }
      let writer = LedgerWriter(working, ledger: opened.store ?? dry)
      return Runtime(
        configuration: configuration,
        // A dry run closes nothing that other shards would wait for.
        environment: opened.store == nil ? environment.alone : environment, heldClock: clock,
        clockMark: clockMark?.reading,
        store: opened.store,
        writer: writer, past: LedgerPast(directory),
        inboxes: configuration.inboxSources.map {
          InboxFolder(directory, of: $0, naiveZone: naiveZone)
        }, looks: looks, api: api, rules: rules,
        forgotten: Set(
          opened.state.accounts.lazy.filter { $0.forgottenAt != nil }.map(\.id)),
        tail: tail, figures: figures)
    } catch {
      opened.store?.close()
      throw error
    }
  }

  /// The environment in which the dates of API answers reach the clock.
  private var datingAnswers: RuntimeEnvironment {
    var environment = environment
    let (connect, clock) = (environment.connect, clock)
    environment.connect = { DatedAnswers(from: connect($0, $1), to: clock) }
    return environment
  }

  private struct OpenedLedger: Sendable {
    let store: LedgerStore?
    let state: LedgerState
    var head: LedgerHead { store?.head ?? LedgerHead(seq: state.seq, hash: .zero) }
  }

  private func openStore(knowing knownHeads: [LedgerHead]) throws -> OpenedLedger {
    let clock = clock
    let store = try LedgerStore.open(
      LedgerConfiguration(
        directory: directory, program: "rewards \(ProgramVersion.text)",
        command: environment.command, isSimulated: environment.machineClock != nil),
      LedgerStore.Dependencies(
        clock: { clock.certain() },
        monotonicSeconds: { Double(clock.sinceBoot() ?? 0) / 1e9 },
        randomBytes: environment.randomBytes,
        onCommit: { [tail, figures] records, _ in
          figures.withLock { $0.count(records) }
          let listener = tail.withLock { tail in
            tail.recordsSinceSnapshot += records.count + 1
            return tail.listener
          }
          listener?()
        }), knownHeads: knownHeads)
    do {
      for source in configuration.sources { try directory.create(inboxOf: source.name) }
      logReport(store.report)
      var state = LedgerState()
      // A state ends at its last record, a snapshot at the seal after it.
      var snapshotSeq: UInt64 = 0
      if let snapshot = try store.reader.newestSnapshot(),
        try !store.reader.isUndone(snapshot.head.seq)
      {
        do {
          state = try StateSnapshot.read(snapshot.payload)
          snapshotSeq = snapshot.head.seq
        } catch {
          environment.log.warning(
            "a snapshot was skipped",
            ["head": .text("\(snapshot.head)"), "cause": .text("\(error)")])
        }
      }
      let start = max(state.seq, snapshotSeq)
      try store.reader.scan(after: start) { state.apply($0) }
      let read = Int(store.head.seq - start)
      tail.withLock { $0.recordsSinceSnapshot = read }
      figures.withLock { $0.begin(at: store.head.seq, state.at) }
      try state.requireRules()
      return OpenedLedger(store: store, state: state)
    } catch {
      store.close()
      throw error
    }
  }

  /// Reads the state up to the ledger's last seal; empty when there is no ledger.
  private func readState() throws -> LedgerState {
    do {
      return try LedgerReader.open(directory).state()
    } catch let error as LedgerError where error.kind == .missing {
      return LedgerState()
    }
  }

  private func logReport(_ report: OpeningReport) {
    let log = environment.log
    if let cut = report.cut {
      log.warning(
        "unsealed bytes at the end of the ledger were cut off",
        [
          "segment": .text(cut.segment), "byte": .number(cut.byte), "bytes": .number(cut.count),
          "kept": .text(cut.keptIn),
        ])
    }
    for skipped in report.skippedSnapshots {
      log.warning("a snapshot was skipped", ["cause": .text(skipped)])
    }
  }

  /// Throws when a user belongs to another shard, where the user would be judged a second time.
  private func checkShare(against state: LedgerState) throws(RuntimeError) {
    guard let stranger = state.accounts.lazy.map(\.id).first(where: { !configuration.holds($0) })
    else { return }
    throw RuntimeError(
      kind: .configuration,
      cause: "\(directory.path) holds the user \(stranger), who belongs to another shard",
      remedy:
        "nothing was written; restore the backups of all shards into another database, each with its --shard"
    )
  }

  /// Throws for an impossible stated present. A ledger lives in real or in simulated time for good, and in neither may a stated
  /// present be before the last record.
  private func checkPresent(against state: LedgerState) throws(RuntimeError) {
    guard let machine = environment.machineClock else { return }
    let present = environment.clock.now()
    if present.truncatedToMilliseconds < state.at {
      throw RuntimeError(
        kind: .present, cause: "\(present) is before the ledger's last record \(state.at)",
        remedy: "nothing was written; give a later --now")
    }
    if state.isSimulated == false, present > machine.now() {
      throw RuntimeError(
        kind: .present,
        cause: "\(present) is later than the machine's clock, and this ledger lives in real time",
        remedy:
          "nothing was written; for simulated time use rewards demo, or a ledger created with --now"
      )
    }
  }

  /// Throws for a guessable draw secret. The secret with which a ledger begins decides for good who can guess its draws;
  /// simulated time has nothing to lose.
  private func checkSecret(against state: LedgerState) throws {
    guard state.drawKey == nil, environment.machineClock == nil, state.isSimulated != true else {
      return
    }
    let secret = try configuration.resolveDrawSecret(environment: environment.variables)
    guard let objection = DrawSecret.objection(to: secret.bytes) else { return }
    throw RuntimeError(
      kind: .configuration,
      cause: "the draw secret in \(configuration.drawSecret) can be guessed: \(objection)",
      remedy: "create one, as rewards init does: head -c 32 /dev/urandom | base64; keep it for good"
    )
  }
}

extension LedgerState {
  /// Throws when the rules in the ledger cannot be in force together; then nothing may be judged.
  func requireRules() throws(RuntimeError) {
    guard let problem = rules.problem else { return }
    throw RuntimeError(
      kind: .configuration, cause: problem,
      remedy: "another program wrote this ledger; use that one, or a newer version of this one"
    )
  }
}

/// Reads the pasts of users from the ledger of a data folder.
struct LedgerPast: PastReading {
  private let directory: DataDirectory

  init(_ directory: DataDirectory) { self.directory = directory }

  func pasts(of users: Set<String>) async throws -> LedgerState {
    try await BlockingThread(named: "rewards.past").run { [directory] in
      var state = LedgerState(.pasts(of: users))
      try LedgerReader.open(directory).scan(.of(.named(users.sorted()))) { state.apply($0) }
      return state
    }
  }
}
