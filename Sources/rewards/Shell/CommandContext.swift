import CivilTime
import Configuration
import Described
import Failures
import Foundations
import LedgerStore
import Operations
import Scheduling
import StrictJSON

/// The context of a running command: its environment and the common options.
struct CommandContext: Sendable {
  private static let inputLimitBytes = 1 << 30

  private struct Loaded {
    let configuration: Configuration
    let database: AttachedDatabase?
  }

  /// The environment of the process.
  private(set) var environment: ProgramEnvironment
  /// The common options.
  private(set) var options: CommonOptions
  /// The clock used for decisions: the machine's, or the one that `--now` sets.
  private(set) var clock: any ServiceClock
  /// The log, as structured lines on standard error.
  private(set) var log: Log

  /// Which of several ledgers the command works on; nil if there is only one, or for all of them.
  private(set) var shardID: ShardID?
  /// Inputs already read, by name: a stream can be read only once, whatever the command tries.
  private let inputs = Lock<[String: [UInt8]]>([:])
  /// The configuration as read, and the database it names; nil until needed.
  private let loaded = Lock<Loaded?>(nil)
  /// The command's name.
  private let name: String
  /// Whether a report begins with its shard.
  var showsShard = false
  /// How many ledgers the command works on at once.
  var shards = 1
  /// Which of the two rounds over several ledgers this is; nil if there is only one ledger.
  var round: CountingRound?

  init(
    _ environment: ProgramEnvironment, _ options: CommonOptions, name: String
  ) {
    self.name = name
    self.environment = environment
    self.options = options
    clock = options.present.map { FixedClock(at: $0) } ?? environment.clock
    let errors = environment.errors
    log = Log(level: options.logLevel, layout: options.logLayout, clock: environment.clock) {
      errors.write($0)
    }
  }

  /// Creates the log writer of a service, with the requested level and layout.
  func makeLogWriter() -> LogWriter {
    LogWriter(
      to: environment.errors, level: options.logLevel, layout: options.logLayout,
      clock: environment.clock)
  }

  /// Returns the same context with another log.
  func logging(to log: Log) -> CommandContext {
    var context = self
    context.log = log
    return context
  }

  /// The present used for decisions: the database's, where the ledgers are in one.
  var present: Instant {
    judgingClock.now()
  }
  /// The clock used for judging: the stated one, the one shared by all workers of the attached database, or the machine's.
  private var judgingClock: any ServiceClock {
    guard options.present == nil, !environment.isClockShared, let time = database?.time
    else { return clock }
    return DatabaseClock(time: time, base: environment.clock)
  }
  /// The operating system's time zones.
  var zones: any ZoneSource { environment.zones }
  /// How standard output looks.
  var style: TextStyle {
    let sink = environment.output
    return TextStyle(
      isColoured: mayPaint(sink), isTerminal: sink.isTerminal, columns: sink.columns)
  }

  /// Returns the same context for one of several ledgers.
  func with(_ shardID: ShardID?) -> CommandContext {
    guard let shardID else { return self }
    var context = self
    context.shardID = shardID
    return context
  }

  /// Returns the same context with another way to load a newer time zone database.
  func reloadingZones(_ reload: @escaping @Sendable () -> Bool) -> CommandContext {
    var context = self
    context.environment.reloadZones = reload
    return context
  }

  /// Returns the configuration in force, reading its file once. On behalf of another process, a service uses the configuration it was
  /// started with, whatever the file says now. Throws ``Configuration/ConfigurationError``.
  func configuration() throws(ConfigurationError) -> Configuration {
    if let own = environment.hosted?.configuration {
      return shardID.flatMap { database?.configuration(own, of: $0) } ?? own
    }
    let loaded = try loaded.withLock { (known) throws(ConfigurationError) in
      if let known { return known }
      let loader = ConfigurationLoader(environment: environment.variables, zones: zones)
      let configuration = try loader.load(
        file: options.configFile, flags: options.data.map { ["data": $0] } ?? [:])
      let found = Loaded(
        configuration: configuration,
        database: try AttachedDatabase(of: configuration, worker: worker, log: log))
      known = found
      return found
    }
    return loaded.database?.configuration(loaded.configuration, of: shardID) ?? loaded.configuration
  }

  /// The database that holds the ledgers; nil where `data` is a folder, and before the configuration is read.
  var database: AttachedDatabase? {
    environment.database ?? loaded.withLock { $0?.database }
  }

  /// Returns the database for a command about the database itself; throws where `data` is a folder.
  func requireDatabase() throws -> AttachedDatabase {
    let configuration = try configuration()
    if let database { return database }
    throw Failure(
      .configuration, "the data folder \(configuration.data) is not in a database", place: "data",
      remedy: "Set data to one: postgres://USER@HOST/DATABASE.")
  }

  /// How this process is named to others while it holds a ledger in a database.
  private var worker: String {
    "\(environment.process) (rewards \(name))"
  }

  /// Returns the same context, but with the ledger's own present for a ledger in simulated time, unless `--now` is given. The machine's
  /// clock does not apply to such a ledger.
  func inTime(of ledger: LedgerReader?) async throws -> CommandContext {
    guard options.present == nil, environment.hosted == nil, let ledger,
      let present = try await LedgerReading.simulatedPresent(of: ledger)
    else { return self }
    var settled = self
    settled.options.present = present
    settled.clock = FixedClock(at: present)
    return settled
  }

  /// Returns the context in the time of the data folder's ledger; the same context if that ledger may not be read.
  func inTimeOfLedger(_ configuration: Configuration) async throws -> CommandContext {
    guard options.present == nil, environment.hosted == nil else { return self }
    do {
      return try await inTime(of: LedgerReading.openIfThere(configuration.directory))
    } catch let error as LedgerError where error.kind == .refused {
      return self
    }
  }

  /// Returns the environment for a data folder that this process opens.
  func runtimeEnvironment(_ command: String) -> RuntimeEnvironment {
    var made = RuntimeEnvironment(
      clock: judgingClock,
      machineClock: options.present == nil ? nil : environment.clock, zones: zones,
      reloadZones: environment.reloadZones, variables: environment.variables, log: log,
      randomBytes: RandomBytes.make, command: command,
      actor: environment.account)
    made.commands = ScheduledCommands(self).commands
    if let shardID, shardID.count > 1, let database {
      made.sharedCloses = DatabaseCloses(database, shardID)
    }
    return made
  }

  /// Throws when `--now` is given: a service that holds the ledger has its own present.
  func requireMachineClock() throws(Failure) {
    guard options.present == nil else {
      throw Failure(
        .usage, "--now is not possible while a service holds the ledger", remedy: "Leave it out.")
    }
  }

  /// Prints a result in the requested format: as one JSON document with these members, or as `text` in whole lines.
  func report<Value>(_ value: Value, as members: JSONMembers<Value>, text: () -> String) {
    switch options.format {
    case .text: show(text())
    case .json:
      var json = JSONWriter()
      json.beginObject()
      if showsShard, let shardID { json.member("shard", shardID.number) }
      members.write(value, to: &json)
      json.endObject()
      let bytes = json.bytes + [UInt8(ascii: "\n")]
      environment.output.write(
        bytes.withUnsafeBufferPointer { ShownText.escaping(json: $0) } ?? bytes)
    }
  }

  /// Prints text in whole lines.
  func show(_ text: String) {
    if showsShard, let shardID {
      environment.output.write("shard \(shardID):\n")
    }
    environment.output.write(ShownText.plain(text, keeping: style.sequences))
  }

  /// Returns the bytes of the file that an argument names, or of standard input for `-`. Reads each only once.
  func input(_ name: String) throws(ReadError) -> [UInt8] {
    if let known = inputs.withLock({ $0[name] }) { return known }
    let bytes =
      name == "-"
      ? try environment.readInput(Self.inputLimitBytes)
      : try WholeFile.readStream(name, limitBytes: Self.inputLimitBytes)
    inputs.withLock { $0[name] = bytes }
    return bytes
  }

  /// Reports on standard error something that needs attention although the work is done.
  func complain(_ problem: String) { complain(Failure(.attention, problem)) }

  /// Reports on standard error a failure that stops nothing else.
  func complain(_ failure: Failure) {
    environment.errors.write(failure.text(in: options.format))
  }

  /// Says something beside the result on standard error. Says nothing to a job, and with `--log-level error`.
  func remark(_ text: String) {
    guard environment.hosted == nil, options.logLevel <= .warning else { return }
    environment.errors.write(
      options.format == .text ? "\(text)\n" : Failure(.done, text).text(in: .json))
  }

  /// Creates a progress bar on the terminal for `total` pieces of work.
  func progress(_ label: String, total: Int) -> ProgressBar {
    ProgressBar(label, total: total, sink: environment.errors, clock: environment.clock)
  }

  private func mayPaint(_ sink: any ByteSink) -> Bool {
    sink.isTerminal && environment.variables["NO_COLOR", default: ""].isEmpty
      && environment.variables["TERM"] != "dumb"
  }
}
