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
