package import CivilTime
package import Configuration
import Foundations
package import Ledger
package import LedgerStore

/// Reads a ledger on disk, whether or not a service holds it.
package enum LedgerReading {
  /// Opens the ledger of a data folder at its last seal; throws ``LedgerStore/LedgerError``.
  ///
  /// A use case opens it once and hands it on, so that all its answers are of one head.
  package static func open(_ directory: DataDirectory) async throws -> LedgerReader {
    try await BlockingThread(named: "rewards.open").run { try LedgerReader.open(directory) }
  }

  /// Opens the ledger of a data folder; nil when there is none yet.
  package static func openIfThere(_ directory: DataDirectory) async throws -> LedgerReader? {
    do {
      return try await open(directory)
    } catch let error as LedgerError where error.kind == .missing {
      return nil
    }
  }

  /// Returns the time of the last record of a ledger in simulated time; nil for a ledger in real time.
  package static func simulatedPresent(of ledger: LedgerReader) async throws -> Instant? {
    try await BlockingThread(named: "rewards.read").run { try ledger.simulatedPresent() }
  }

  /// Packs all segments but the newest `keeping`, as the only writer; throws ``LedgerStore/LedgerError`` when another process
  /// is writing or there is no ledger.
  package static func compact(
    _ directory: DataDirectory, keeping: Int, command: String
  ) async throws -> [LedgerCompaction.Packed] {
    if directory.isInDatabase { return [] }
    return try await BlockingThread(named: "rewards.compact").run {
      _ = try LedgerReader.open(directory)
      let lock = try WriterLock(directory, command: command)
      return try withExtendedLifetime(lock) {
        try LedgerCompaction(directory).run(keeping: keeping)
      }
    }
  }

  /// Backs up the ledger to `folder`, whether or not a service holds it; with `isFull`, checks the whole backup again.
  package static func backup(
    _ directory: DataDirectory, into folder: String, isFull: Bool, now: Instant, command: String,
    of shardID: ShardID? = nil
  ) async throws -> LedgerBackup.Report {
    let shard = shardID.flatMap { $0.count > 1 ? "\($0)" : nil }
    return try await BlockingThread(named: "rewards.backup").run {
      try LedgerBackup(directory, into: folder, shard: shard).run(
        now: now, command: command, isFull: isFull)
    }
  }

  /// Restores the backup in `folder` to an empty data folder.
  package static func restore(
    _ folder: String, into directory: DataDirectory, command: String, isInboxComplete: Bool,
    of shardID: ShardID? = nil
  ) async throws -> LedgerRestore.Report {
    try await BlockingThread(named: "rewards.restore").run {
      if let shardID {
        try requireUsers(of: shardID, in: DataDirectory(folder, in: directory.files))
      }
      return try LedgerRestore(folder, into: directory).run(
        command: command, isInboxComplete: isInboxComplete)
    }
  }

  /// Throws when a backup has users of another shard.
  private static func requireUsers(of shardID: ShardID, in folder: DataDirectory) throws {
    try LedgerReader.open(folder).scan(.ofTypes([.user])) { record in
      guard let user = record.body.user, !shardID.holds(user) else { return }
      throw RuntimeError(
        kind: .configuration,
        cause: "\(folder.path) holds the user \(user), who belongs to shard "
          + "\(ShardID.number(of: user, among: shardID.count)) of \(shardID.count)",
        remedy: "nothing was written; restore each backup with the --shard it was made from")
    }
  }

  /// Returns the first grant under `key` and whether it is reversed, or nil when there is none. Reads only the lines of `user`.
  package static func grant(
    _ key: String, of user: String, in ledger: LedgerReader
  ) async throws -> (grant: GrantRecord, isTakenBack: Bool)? {
    try await BlockingThread(named: "rewards.grant").run {
      var found: GrantRecord?
      var isTakenBack = false
      try ledger.scan(.of(.named([user]))) { record in
        switch record.body {
        case .grant(let grant) where grant.key == key: found = found ?? grant
        case .reversal(let reversal) where reversal.key == key: isTakenBack = !reversal.undone
        default: break
        }
      }
      return found.map { ($0, isTakenBack) }
    }
  }

  /// Builds the missing indexes that make reading one user's lines fast. They are a cache: what stands in the way is passed over.
  package static func buildIndexes(of ledger: LedgerReader) async {
    try? await BlockingThread(named: "rewards.index").run { try ledger.buildIndexes() }
  }

  /// Makes the indexes of all segments whose indexes are missing or incomplete; returns how many.
  package static func makeIndexes(of ledger: LedgerReader) async throws -> Int {
    try await BlockingThread(named: "rewards.index").run { try ledger.makeIndexes() }
  }

  /// Verifies everything; `heads` come from outside and must be in the ledger. Changes nothing.
  ///
  /// `progress` receives how many stretches of the ledger are done, out of how many.
  package static func verify(
    _ directory: DataDirectory, heads: [LedgerHead], counts: LineCounts? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> VerificationReport {
    try await BlockingThread(named: "rewards.verify").run {
      try LedgerVerifier(directory).verify(heads: heads, counts: counts, progress: progress)
    }
  }

  /// Verifies everything, also against the heads in snapshots, the sinks' cursors and the last audit's checkpoint.
  ///
  /// With a checkpoint, verifies only what is new since, and segments that were changed; otherwise, with `counting`, counts all
  /// lines. `opened` is the ledger, where it was opened before.
  package static func verify(
    _ configuration: Configuration, heads: [LedgerHead], since checkpoint: AuditCheckpoint? = nil,
    opened: LedgerReader? = nil, counting: Bool = false,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> VerificationReport {
    let directory = configuration.directory
    // Read before the ledger, which may grow meanwhile.
    let (kept, counts) = try await BlockingThread(named: "rewards.heads").run {
      // A ledger that cannot be opened is verified too.
      let reader = opened ?? (try? LedgerReader.open(directory))
      let ledger = reader?.ledger
      let heads =
        SnapshotHeads.read(directory) + RelayCursors.heads(configuration, of: ledger)
        + (checkpoint.map { [$0.head] } ?? auditHead(directory, of: ledger))
      return (heads, counting ? try? reader?.emptyCounts() : nil)
    }
    // A head that an operator noted takes precedence over a stored one.
    let all = Dictionary((heads + kept).map { ($0.seq, $0) }) { first, _ in first }
    if let checkpoint {
      return try await BlockingThread(named: "rewards.verify").run {
        try LedgerVerifier(directory).verify(
          since: checkpoint, heads: all.values.sorted { $0.seq < $1.seq })
      }
    }
    return try await verify(
      directory, heads: all.values.sorted { $0.seq < $1.seq }, counts: counts,
      progress: progress)
  }

  /// Returns the heads that sinks and an audit recorded outside the ledger of a data folder. A writer must find them in it.
  /// `opened` is the ledger, where it was opened before.
  static func headsElsewhere(
    _ configuration: Configuration, opened: LedgerReader? = nil
  ) -> [LedgerHead] {
    let directory = configuration.directory
    let opened =
      opened.map { .success($0) }
      ?? Result { () throws(LedgerError) in try LedgerReader.open(directory) }
    return RelayCursors.heads(configuration, of: (try? opened.get())?.ledger)
      + unreachedAuditHead(directory, opened)
  }

  /// Returns the head that the last passed audit of this ledger reached. Ignores a checkpoint that is unreadable or of another
  /// ledger; continuing from it is what fails.
  private static func auditHead(_ directory: DataDirectory, of ledger: String?) -> [LedgerHead] {
    guard let ledger, let checkpoint = try? AuditCheckpoint(directory, of: ledger) else {
      return []
    }
    return [checkpoint.head]
  }

  /// Returns the last audit's head only if the ledger does not reach it. A start need not read the state of a matching checkpoint.
  private static func unreachedAuditHead(
    _ directory: DataDirectory, _ opened: Result<LedgerReader, LedgerError>
  ) -> [LedgerHead] {
    let ledger: LedgerReader
    do throws(LedgerError) {
      ledger = try opened.get()
    } catch {
      // A passed audit means that there was a ledger. It is lost, and must not be begun anew.
      let lost = error.kind == .missing ? try? AuditCheckpoint.namedHead(directory, of: nil) : nil
      return lost.map { [$0] } ?? []
    }
    if let named = try? AuditCheckpoint.namedHead(directory, of: ledger.ledger),
      named.seq <= ledger.head.seq, (try? ledger.seals(of: [named.seq])) == [named]
    {
      return []
    }
    return auditHead(directory, of: ledger.ledger)
  }
}

/// The line counts of a ledger.
package struct LedgerContents: Sendable {
  /// The counts of all lines up to the last seal.
  package let counts: LineCounts
  /// The last seal.
  package let head: LedgerHead

  /// Reads through a ledger; throws ``LedgerStore/LedgerError``.
  package static func read(_ ledger: LedgerReader) async throws -> LedgerContents {
    try await BlockingThread(named: "rewards.stats").run {
      LedgerContents(counts: try LedgerSlices(ledger).count(), head: ledger.head)
    }
  }
}
