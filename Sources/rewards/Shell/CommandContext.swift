import CivilTime
import Configuration
import Files
import LedgerStore
import Operations
import Scheduling
import StrictJSON
import Threading

/// What a running command works with: its environment and the common options.
struct CommandContext: Sendable {
  private static let inputLimitBytes = 1 << 30

  /// What the process finds around it.
  private(set) var environment: ProgramEnvironment
  /// The common options.
  let options: CommonOptions
  /// The clock to decide on: the machine's, or the one that `--now` sets.
  let clock: any ServiceClock
  /// Structured lines on standard error.
  let log: Log

  /// The words after the program's name, as they were given.
  private(set) var words: [String]
  /// Which of several ledgers the command works on; nil where there is one, or for all of them.
  private(set) var share: LedgerShare?
  /// Whether a report begins with the shard that it is about.
  var tellsShard = false
  /// How many ledgers the command works on at once.
  var shards = 1

  init(_ environment: ProgramEnvironment, _ options: CommonOptions, words: [String]) {
    self.environment = environment
    self.words = words
    self.options = options
    clock = options.present.map { FixedClock(at: $0) } ?? environment.clock
    let errors = environment.errors
    log = Log(level: options.logLevel, layout: options.logLayout, clock: environment.clock) {
      errors.write($0)
    }
  }

  /// The operating system's time zones.
  var zones: any ZoneSource { environment.zones }
  /// The colours for standard output.
  var style: TextStyle { TextStyle(isColoured: mayPaint(environment.output)) }

  /// The same context for one of several ledgers, also where another process carries the command out.
  func with(_ share: LedgerShare?) -> CommandContext {
    guard let share else { return self }
    var context = self
    context.share = share
    if options.shard == nil { context.words = ["--shard", "\(share.number)"] + words }
    return context
  }

  /// Leaves those values of an option out of the words for which `isWanted` returns false.
  mutating func keepWords(_ option: String, where isWanted: (String) -> Bool) {
    words = ParsedArguments.keep(option, in: words, where: isWanted)
  }

  /// The same context, whose standard input may be read again and again.
  func readingInputOnce() -> CommandContext {
    let known = Lock<[UInt8]?>(nil)
    let read = environment.readInput
    var context = self
    context.environment.readInput = { (limit) throws(ReadError) in
      if let bytes = known.withLock({ $0 }) { return bytes }
      let bytes = try read(limit)
      known.withLock { $0 = bytes }
      return bytes
    }
    return context
  }

  /// The configuration in force; throws ``Configuration/ConfigurationError``.
  func configuration() throws(ConfigurationError) -> Configuration {
    let loader = ConfigurationLoader(environment: environment.variables, zones: zones)
    var configuration = try loader.load(
      file: options.configFile, flags: options.data.map { ["data": $0] } ?? [:])
    try AttachedDatabase.attach(&configuration, as: share, worker: worker)
    return configuration
  }

  /// What others are told of this process while it holds a ledger in a database.
  private var worker: String {
    "\(environment.process) (\((["rewards"] + words.prefix(1)).joined(separator: " ")))"
  }

  /// The same context; for a ledger in simulated time, and without `--now`, with the ledger's own present: the machine's clock
  /// has nothing to do with it.
  func inTimeOfLedger(_ configuration: Configuration) async throws -> CommandContext {
    guard options.present == nil, environment.hosted == nil else { return self }
    let directory = DataDirectory(configuration.data)
    guard let present = try await StateReading.simulatedPresent(directory) else { return self }
    var settled = options
    settled.present = present
    return CommandContext(environment, settled, words: words)
  }

  /// What a data folder opened by this process works with.
  func runtimeEnvironment(_ command: String) -> RuntimeEnvironment {
    var made = RuntimeEnvironment(
      clock: clock, machineClock: options.present == nil ? nil : environment.clock, zones: zones,
      reloadZones: environment.reloadZones, variables: environment.variables, log: log,
      randomBytes: RandomBytes.make, command: command,
      actor: environment.account)
    made.commands = ScheduledCommands(self).commands
    return made
  }

  /// Throws when a present is stated: a service that holds the ledger has its own.
  func requireMachineClock() throws(CommandFailure) {
    guard options.present == nil else {
      throw CommandFailure(
        .usage, "--now has no meaning while a service holds the ledger", remedy: "Leave it out.")
    }
  }

  /// Prints a result in the format that was asked for: `members` of one JSON document, or `text` in whole lines.
  func report(text: () -> String, json members: (inout JSONWriter) -> Void) {
    switch options.format {
    case .text:
      if tellsShard, let share {
        environment.output.write("shard \(share.number) of \(share.count):\n")
      }
      environment.output.write(ShownText.plain(text(), keeping: style.sequences))
    case .json:
      var json = JSONWriter()
      json.beginObject()
      if tellsShard, let share { json.member("shard", share.number) }
      members(&json)
      json.endObject()
      environment.output.write(json.bytes + [UInt8(ascii: "\n")])
    }
  }

  /// The bytes of a file that an argument names, `-` for standard input.
  ///
  /// A command that came from another process reads what came with it.
  func input(_ name: String) throws(ReadError) -> [UInt8] {
    if name == "-" || environment.hosted != nil && !environment.readsFiles {
      return try environment.readInput(Self.inputLimitBytes)
    }
    return try WholeFile.readStream(name, limitBytes: Self.inputLimitBytes)
  }

  /// Tells the operator on standard error what needs a look although the work is done.
  func complain(_ problem: String) {
    environment.errors.write(CommandFailure(.attention, problem).text(in: options.format))
  }

  /// A bar on the terminal for `total` pieces of work.
  func progress(_ label: String, total: Int) -> ProgressBar {
    ProgressBar(label, total: total, sink: environment.errors, clock: environment.clock)
  }

  private func mayPaint(_ sink: any ByteSink) -> Bool {
    sink.isTerminal && environment.variables["NO_COLOR", default: ""].isEmpty
      && environment.variables["TERM"] != "dumb"
  }
}
