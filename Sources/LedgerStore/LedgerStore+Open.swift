package import CivilTime
package import Ledger

extension LedgerStore {
  /// The outside functions that a store needs.
  package struct Dependencies: Sendable {
    /// The wall clock. Called on the writer's thread, once per batch.
    package var clock: @Sendable () -> Instant
    /// A clock that only runs forward, for timing `fdatasync`; without one those times count as 0.
    package var monotonicSeconds: @Sendable () -> Double
    /// Returns the given number of random bytes; called once, for a new ledger's id.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Receives each batch (the records in order, and the seal) after it is synced and before its callers return.
    ///
    /// Called on the writer's thread, which waits for it.
    package var onCommit: @Sendable ([Record], LedgerHead) -> Void

    /// Creates dependencies; by default nothing receives commits.
    package init(
      clock: @escaping @Sendable () -> Instant,
      monotonicSeconds: @escaping @Sendable () -> Double = { 0 },
      randomBytes: @escaping @Sendable (Int) -> [UInt8],
      onCommit: @escaping @Sendable ([Record], LedgerHead) -> Void = { _, _ in }
    ) {
      self.clock = clock
      self.monotonicSeconds = monotonicSeconds
      self.randomBytes = randomBytes
      self.onCommit = onCommit
    }
  }

  /// Opens the ledger for writing, or creates it if there is none. Blocks.
  ///
  /// Takes the lock, starts at the seal of the newest whole snapshot, checks every line after it, cuts off what no seal commits
  /// and keeps those bytes in `state`. Refuses damage, a newer format, a ledger without one of `knownHeads` or without the head
  /// of its own snapshot, and a second writer; a refusal changes nothing.
  package static func open(
    _ configuration: LedgerConfiguration, _ dependencies: Dependencies,
    knownHeads: [LedgerHead] = []
  ) throws(LedgerError) -> LedgerStore {
    let directory = configuration.directory
    try directory.requireNoBackup()
    try directory.create()
    let lock = try WriterLock(directory, command: configuration.command)
    do {
      try directory.requireWhole()
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
              program: configuration.program, simulated: configuration.isSimulated,
              partOf: configuration.partOf))
        ])
        dependencies.onCommit(records, writer.end.head)
      }
      return LedgerStore(
        writer: writer, report: report, configuration: configuration,
        fileSystem: directory.files, lock: lock, known: opening.known,
        monotonicSeconds: dependencies.monotonicSeconds, onCommit: dependencies.onCommit)
    } catch {
      throw LedgerError(any: error)
    }
  }
}

/// The location of a ledger and the size limit of its segments.
package struct LedgerConfiguration: Sendable {
  /// The data folder.
  package var directory: DataDirectory
  /// The program's name and version, for the genesis.
  package var program: String
  /// A description of this process, such as `rewards serve`, shown to others that find the lock taken.
  package var command: String
  /// The largest a segment may grow before a new one begins; also the limit of a single append.
  package var segmentLimitBytes = 256 << 20
  /// Whether a new ledger lives in simulated time for good.
  package var isSimulated = false
  /// The id of the ledger of which a new one is a part; nil for a whole one.
  package var partOf: String?

  /// Creates the configuration of a ledger in `directory`, with the format's limits.
  package init(
    directory: DataDirectory, program: String, command: String, isSimulated: Bool = false
  ) {
    self.directory = directory
    self.program = program
    self.command = command
    self.isSimulated = isSimulated
  }
}

/// Formats random UUIDs (RFC 9562, version 4).
package enum UUIDText {
  /// Returns lower-case hex digits with dashes from 16 random bytes; missing bytes count as 0.
  package static func make(_ random: [UInt8]) -> String {
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
