import CivilTime
import Operations
import Scheduling
import StrictJSON

/// What a running command works with: its surroundings and the common options.
struct CommandContext: Sendable {
  private static let inputLimitBytes = 1 << 30

  /// What the process finds around it.
  let surroundings: Surroundings
  /// The common options.
  let options: CommonOptions
  /// The clock to decide on: the machine's, or the one that `--now` sets.
  let clock: any ServiceClock
  /// Structured lines on standard error.
  let log: Log

  /// The words after the program's name, as they were given.
  let words: [String]

  init(_ surroundings: Surroundings, _ options: CommonOptions, words: [String]) {
    self.surroundings = surroundings
    self.words = words
    self.options = options
    clock = options.present.map { FixedClock(at: $0) } ?? surroundings.clock
    let errors = surroundings.errors
    log = Log(level: options.logLevel, layout: options.logLayout, clock: surroundings.clock) {
      errors.write($0)
    }
  }

  /// The environment variables.
  var environment: [String: String] { surroundings.environment }
  /// The operating system's time zones.
  var zones: any ZoneSource { surroundings.zones }
  /// The colours for standard output.
  var style: TextStyle { TextStyle(isColoured: mayPaint(surroundings.output)) }

  /// The configuration in force; throws ``ConfigurationError``.
  func configuration() throws(ConfigurationError) -> Configuration {
    let loader = ConfigurationLoader(environment: environment, zones: zones)
    return try loader.load(
      file: options.configFile, flags: options.data.map { ["data": $0] } ?? [:])
  }

  /// What a data folder opened by this process works with.
  func workplaceSurroundings(_ command: String) -> WorkplaceSurroundings {
    WorkplaceSurroundings(
      clock: clock, zones: zones, reloadZones: surroundings.reloadZones, environment: environment,
      log: log,
      randomBytes: RandomBytes.make, command: command,
      actor: environment["SUDO_USER"] ?? environment["USER"] ?? "unknown")
  }

  /// Prints a result in the format that was asked for: `members` of one JSON document, or `text` in whole lines.
  func report(text: () -> String, json members: (inout JSONWriter) -> Void) {
    switch options.format {
    case .text: surroundings.output.write(text())
    case .json:
      var json = JSONWriter()
      json.beginObject()
      members(&json)
      json.endObject()
      surroundings.output.write(json.bytes + [UInt8(ascii: "\n")])
    }
  }

  /// The bytes of a file that an argument names, `-` for standard input.
  ///
  /// A command that came from another process reads what came with it.
  func input(_ name: String) throws(ReadError) -> [UInt8] {
    if name == "-" || surroundings.hosted != nil {
      return try surroundings.readInput(Self.inputLimitBytes)
    }
    return try WholeFile.read(name, limitBytes: Self.inputLimitBytes)
  }

  /// Tells the operator on standard error what needs a look although the work is done.
  func complain(_ problem: String) {
    surroundings.errors.write(CommandFailure(.attention, problem).text)
  }

  /// A bar on the terminal for `total` pieces of work.
  func progress(_ label: String, total: Int) -> ProgressBar {
    ProgressBar(label, total: total, sink: surroundings.errors, clock: surroundings.clock)
  }

  private func mayPaint(_ sink: any ByteSink) -> Bool {
    sink.isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }
}
