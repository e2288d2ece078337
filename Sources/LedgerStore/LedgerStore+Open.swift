public import CivilTime
public import Files
public import Ledger

extension LedgerStore {
  /// What a store takes from outside itself.
  public struct Dependencies: Sendable {
    /// The files; the machine's own in production.
    public var fileSystem: any FileSystem
    /// The wall clock. Called on the writer's thread, once per batch.
    public var clock: @Sendable () -> Instant
    /// A clock that only runs forward, for the time that `fdatasync` takes; without one it counts as 0.
    public var monotonicSeconds: @Sendable () -> Double
    /// As many random bytes as asked for; used once, for a new ledger's id.
    public var randomBytes: @Sendable (Int) -> [UInt8]
    /// Told of each batch after it is synced and before its callers are: records in order, and the seal.
    ///
    /// Called on the writer's thread, which waits for it.
    public var onCommit: @Sendable ([Record], LedgerHead) -> Void

    /// Dependencies; nobody is told of commits unless asked for.
    public init(
      fileSystem: any FileSystem = WorkingFiles.system, clock: @escaping @Sendable () -> Instant,
      monotonicSeconds: @escaping @Sendable () -> Double = { 0 },
      randomBytes: @escaping @Sendable (Int) -> [UInt8],
      onCommit: @escaping @Sendable ([Record], LedgerHead) -> Void = { _, _ in }
    ) {
      self.fileSystem = fileSystem
      self.clock = clock
      self.monotonicSeconds = monotonicSeconds
      self.randomBytes = randomBytes
      self.onCommit = onCommit
    }
  }

  /// Opens the ledger for writing, or begins it when there is none. Blocks.
  ///
  /// Takes the lock, goes to the newest whole snapshot's seal, checks every line after it, cuts off what no seal commits
  /// and keeps it in `state`. Refuses damage, a newer format, a ledger that does not hold one of `knownHeads` or the
  /// head of its own snapshot, and a second writer; then nothing has been changed.
  public static func open(
    _ configuration: LedgerConfiguration, _ dependencies: Dependencies,
    knownHeads: [LedgerHead] = []
  ) throws(LedgerError) -> LedgerStore {
    let directory = configuration.directory
    try directory.requireNoBackup(in: dependencies.fileSystem)
    try directory.create(in: dependencies.fileSystem)
    let lock = try WriterLock(
      directory, command: configuration.command, in: dependencies.fileSystem)
    do {
      try directory.requireWhole(in: dependencies.fileSystem)
      let opening = try StoreOpening(configuration, dependencies, knownHeads)
      var report = opening.report
      let writer = BatchWriter(
        log: opening.log, configuration: configuration, clock: dependencies.clock)
      if writer.end.head == .origin {
        report.isNew = true
        report.ledger = UUIDText.make(dependencies.randomBytes(16))
        let records = try writer.append([
          .genesis(
            GenesisRecord(
              format: GenesisRecord.currentFormat, ledger: report.ledger,
              program: configuration.program, simulated: configuration.isSimulated))
        ])
        dependencies.onCommit(records, writer.end.head)
      }
      return LedgerStore(
        writer: writer, report: report, configuration: configuration,
        fileSystem: dependencies.fileSystem, lock: lock, known: opening.known,
        monotonicSeconds: dependencies.monotonicSeconds, onCommit: dependencies.onCommit)
    } catch {
      throw LedgerError(any: error)
    }
  }
}

/// Where a ledger lies and how big its parts may grow.
public struct LedgerConfiguration: Sendable {
  /// The data folder.
  public var directory: DataDirectory
  /// Name and version of the program, for the genesis.
  public var program: String
  /// What this process is, for whoever finds the lock taken, as `rewards serve`.
  public var command: String
  /// A segment is left for a new one before it would grow beyond this; nothing larger can be appended at once.
  public var segmentLimitBytes = 256 << 20
  /// Whether a ledger that is begun lives in simulated time, for life.
  public var isSimulated = false

  /// A ledger in `directory`, with the format's limits.
  public init(
    directory: DataDirectory, program: String, command: String, isSimulated: Bool = false
  ) {
    self.directory = directory
    self.program = program
    self.command = command
    self.isSimulated = isSimulated
  }
}

/// Makes the text of a random UUID (RFC 9562, version 4).
public enum UUIDText {
  /// Lower-case hex digits with dashes, from 16 random bytes; missing bytes count as 0.
  public static func make(_ random: [UInt8]) -> String {
    var bytes = Array((random + [UInt8](repeating: 0, count: 16)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }
}
