package import CivilTime
package import HTTPClient
package import Scheduling

/// The services that a runtime uses from its process.
package struct RuntimeEnvironment: Sendable {
  /// The clock for timestamps and decisions.
  package var clock: any ServiceClock
  /// The machine's clock when ``clock`` shows a stated present (`--now`, the demo); nil when ``clock`` is the machine's. A ledger
  /// that begins with a stated present lives in simulated time.
  package var machineClock: (any ServiceClock)?
  /// The time zones.
  package var zones: any ZoneSource
  /// Reloads the time zone database; returns whether it has changed.
  package var reloadZones: @Sendable () -> Bool
  /// The environment variables, which may hold secrets.
  package var variables: [String: String]
  /// The log of events.
  package var log: Log
  /// Returns the requested number of random bytes, for ids and jitter.
  package var randomBytes: @Sendable (Int) -> [UInt8]
  /// The command of this process, as in `rewards serve`, shown to anyone who finds the ledger locked.
  package var command: String
  /// The person who acts, for the records of manual acts.
  package var actor: String
  /// Connects to other machines, with at most so many connections and only to addresses that the rule allows.
  package var connect: @Sendable (_ connections: Int, AddressRule) -> any HTTPSending = {
    HTTPClient(concurrentTransfers: $0, addresses: $1)
  }
  /// The other ledgers among which users are divided; nil when this is the only one.
  package var sharedCloses: (any SharedCloses)?
  /// Runs the command lines of jobs; nil where there are no commands.
  package var commands: JobCommands?

  package init(
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

  /// The same environment for a ledger without others.
  var alone: RuntimeEnvironment {
    var environment = self
    environment.sharedCloses = nil
    return environment
  }
}

/// Random bytes from the operating system, for ids and jitter. They never influence grants.
package enum RandomBytes {
  /// Returns `count` random bytes.
  package static func make(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Returns `count` random bytes as text, for unique names.
  package static func name(_ count: Int) -> String {
    make(count).map { String($0, radix: 16) }.joined(separator: "-")
  }
}
