public import CivilTime
public import HTTPClient
public import Scheduling

/// What a runtime takes from the process around it.
public struct RuntimeEnvironment: Sendable {
  /// The clock that stamps and decides.
  public var clock: any ServiceClock
  /// The machine's clock where ``clock`` shows a present that somebody states (`--now`, the demo); nil where it is the machine's
  /// itself. A ledger that begins so lives in simulated time.
  public var machineClock: (any ServiceClock)?
  /// The time zones.
  public var zones: any ZoneSource
  /// Reads the time zone database again; returns whether it is another one now.
  public var reloadZones: @Sendable () -> Bool
  /// The environment variables: where secrets may stand.
  public var variables: [String: String]
  /// Where events are noted.
  public var log: Log
  /// As many random bytes as asked for, for ids and jitter.
  public var randomBytes: @Sendable (Int) -> [UInt8]
  /// What this process is, for whoever finds the ledger locked, as `rewards serve`.
  public var command: String
  /// Who acts, for the records of a person's acts.
  public var actor: String
  /// Connects to other machines: by so many connections at once, and to such addresses alone.
  public var connect: @Sendable (_ connections: Int, AddressRule) -> any HTTPSending = {
    HTTPClient(concurrentTransfers: $0, addresses: $1)
  }
  /// The other ledgers among which users are divided; nil where this is the only one.
  public var sharedCloses: (any SharedCloses)?
  /// Runs the command lines of jobs; nil where nobody knows any.
  public var commands: JobCommands?

  /// An environment.
  public init(
    clock: any ServiceClock, machineClock: (any ServiceClock)? = nil, zones: any ZoneSource,
    reloadZones: @escaping @Sendable () -> Bool = { false }, variables: [String: String],
    log: Log,
    randomBytes: @escaping @Sendable (Int) -> [UInt8], command: String, actor: String
  ) {
    self.clock = clock
    self.machineClock = machineClock
    self.zones = zones
    self.reloadZones = reloadZones
    self.variables = variables
    self.log = log
    self.randomBytes = randomBytes
    self.command = command
    self.actor = actor
  }

  /// The same for a ledger that has nothing to do with others.
  var alone: RuntimeEnvironment {
    var environment = self
    environment.sharedCloses = nil
    return environment
  }
}

/// Random bytes from the operating system, for ids and jitter. They never decide what anybody is granted.
public enum RandomBytes {
  /// `count` random bytes.
  public static func make(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// `count` random bytes as a text, for what must have a name of its own.
  public static func name(_ count: Int) -> String {
    make(count).map { String($0, radix: 16) }.joined(separator: "-")
  }
}
