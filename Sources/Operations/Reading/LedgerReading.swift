public import CivilTime
public import Configuration
import Foundations
public import Ledger
public import LedgerStore

/// Reads a ledger on disk, whether or not a service holds it.
public enum LedgerReading {
  /// Returns the last seal; throws ``LedgerStore/LedgerError``.
  public static func head(_ directory: DataDirectory) async throws -> LedgerHead {
    try await BlockingThread(named: "rewards.head").run { try LedgerReader.open(directory).head }
  }

  /// Packs all segments but the newest `keeping`, as the only writer; throws ``LedgerStore/LedgerError`` when another process
  /// is writing or there is no ledger.
  public static func compact(
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
  public static func backup(
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
  public static func restore(
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
    try LedgerReader.open(folder).readRecords(.ofTypes([.user])) { record in
      guard let user = record.body.user, !shardID.holds(user) else { return }
      throw RuntimeError(
        kind: .configuration,
        cause: "\(folder.path) has the user \(user), who belongs to shard "
          + "\(ShardID.number(of: user, among: shardID.count)) of \(shardID.count)",
        remedy: "nothing was written; put each backup back with the --shard that it was made of")
    }
  }

  /// Returns the first grant under `key` and whether it is reversed, or nil when there is none. Reads only the lines of `user`.
  public static func grant(
    _ key: String, of user: String, _ directory: DataDirectory
  ) async throws -> (grant: GrantRecord, isTakenBack: Bool)? {
    try await BlockingThread(named: "rewards.grant").run {
      var found: GrantRecord?
      var isTakenBack = false
      try LedgerReader.open(directory).readRecords(.of(.named([user]))) { record in
        switch record.body {
        case .grant(let grant) where grant.key == key: found = found ?? grant
        case .reversal(let reversal) where reversal.key == key: isTakenBack = !reversal.undone
        default: break
        }
      }
      return found.map { ($0, isTakenBack) }
    }
  }

  /// Makes the indexes of all segments whose indexes are missing or incomplete; returns how many.
  public static func makeIndexes(_ directory: DataDirectory) async throws -> Int {
    try await BlockingThread(named: "rewards.index").run {
      try LedgerReader.open(directory).makeIndexes()
    }
  }

  /// Verifies everything; `heads` come from outside and must be in the ledger. Changes nothing.
  ///
  /// `progress` receives how many stretches of the ledger are done, out of how many.
  public static func verify(
    _ directory: DataDirectory, heads: [LedgerHead],
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> VerificationReport {
    try await BlockingThread(named: "rewards.verify").run {
      try LedgerVerifier(directory).verify(heads: heads, progress: progress)
    }
  }

  /// Verifies everything, also against the heads in snapshots, the sinks' cursors and the last audit's checkpoint.
  ///
  /// With a checkpoint, verifies only what is new since, and segments that were changed.
  public static func verify(
    _ configuration: Configuration, heads: [LedgerHead], since checkpoint: AuditCheckpoint? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> VerificationReport {
    let directory = configuration.directory
    // Read before the ledger, which may grow meanwhile.
    let kept = try await BlockingThread(named: "rewards.heads").run {
      SnapshotHeads.read(directory) + RelayCursors.heads(configuration)
        + (checkpoint.map { [$0.head] } ?? auditHead(directory))
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
      directory, heads: all.values.sorted { $0.seq < $1.seq }, progress: progress)
  }

  /// Returns the heads that sinks and an audit recorded outside the ledger of a data folder. A writer must find them in it.
  static func headsElsewhere(_ configuration: Configuration) -> [LedgerHead] {
    RelayCursors.heads(configuration) + unreachedAuditHead(configuration.directory)
  }

  /// Returns the head that the last passed audit of this ledger reached. Ignores a checkpoint that is unreadable or of another
  /// ledger; continuing from it is what fails.
  private static func auditHead(_ directory: DataDirectory) -> [LedgerHead] {
    do {
      let ledger = try LedgerReader.open(directory).ledger
      return try AuditCheckpoint(directory, of: ledger).map { [$0.head] } ?? []
    } catch {
      return []
    }
  }

  /// Returns the last audit's head only if the ledger does not reach it. A start need not read the state of a matching checkpoint.
  private static func unreachedAuditHead(_ directory: DataDirectory) -> [LedgerHead] {
    let reader: LedgerReader
    do throws(LedgerError) {
      reader = try LedgerReader.open(directory)
    } catch {
      // A passed audit means that there was a ledger. It is lost, and must not be begun anew.
      let lost = error.kind == .missing ? try? AuditCheckpoint.namedHead(directory, of: nil) : nil
      return lost.map { [$0] } ?? []
    }
    guard let named = try? AuditCheckpoint.namedHead(directory, of: reader.ledger) else {
      return auditHead(directory)
    }
    let fits =
      named.seq <= reader.head.seq && (try? reader.seals(of: [named.seq])) == [named]
    return fits ? [] : auditHead(directory)
  }
}

/// The line counts of a ledger.
public struct LedgerContents: Sendable {
  /// The counts of all lines up to the last seal.
  public let counts: LineCounts
  /// The last seal.
  public let head: LedgerHead

  /// Reads through the ledger of a data folder; throws ``LedgerStore/LedgerError``.
  public static func read(_ directory: DataDirectory) async throws -> LedgerContents {
    try await BlockingThread(named: "rewards.stats").run {
      let reader = try LedgerReader.open(directory)
      return LedgerContents(counts: try LedgerSlices(reader).count(), head: reader.head)
    }
  }
}
