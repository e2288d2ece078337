import CivilTime
import Described
import Failures
import Operations
import StrictJSON

/// The options that every command takes, checked.
struct CommonOptions: Sendable {
  let configFile: String?
  let data: String?
  /// Which of a database's ledgers to work on.
  let shard: Int?
  let format: OutputFormat
  /// The present that `--now` sets.
  var present: Instant?
  let logLevel: LogLevel
  let logLayout: Log.Layout

  /// Reads the options, with `$REWARDS_LOG_LEVEL` and `$REWARDS_LOG_FORMAT` as defaults.
  init(
    _ arguments: ParsedArguments, environment: [String: String]
  ) throws(Failure) {
    configFile = arguments.value("config")
    data = arguments.value("data")
    shard = try arguments.value("shard").map { (text) throws(Failure) in
      try NumberArgument.parse(text, place: "--shard", in: 0...Int(Int32.max))
    }
    format = try Self.choice(arguments.value("format"), "--format", default: .text)
    logLevel = try Self.choice(
      arguments.value("log-level") ?? environment["REWARDS_LOG_LEVEL"], "--log-level",
      default: .warning)
    logLayout = try Self.choice(
      arguments.value("log-format") ?? environment["REWARDS_LOG_FORMAT"], "--log-format",
      default: .logfmt)
    present = try arguments.value("now").map { (text) throws(Failure) in
      try InstantArgument.parse(text, place: "--now").instant
    }
  }

  /// Creates the options of a request that another process has sent.
  init(of parcel: RequestParcel) {
    (configFile, data, present) = (nil, nil, nil)
    shard = parcel.shard
    format = parcel.format
    (logLevel, logLayout) = (.warning, .logfmt)
  }

  private static func choice<Value: RawRepresentable & CaseIterable>(
    _ text: String?, _ place: String, default preset: Value
  ) throws(Failure) -> Value where Value.RawValue == String {
    guard let text else { return preset }
    if let value = Value(rawValue: text) { return value }
    let names = Value.allCases.map(\.rawValue)
    throw Failure(
      .usage,
      "\"\(text)\" is none of \(names.joined(separator: ", "))"
        + NearestName.hint(for: text, among: names),
      place: place)
  }
}

/// The format of results.
enum OutputFormat: String, Word, Sendable {
  static let noun: StaticString = "format"

  /// For people.
  case text
  /// One JSON document and nothing else.
  case json

  /// Finds the format that a command line asks for, as far as possible before it is parsed.
  init(of words: [String]) {
    let options = words.prefix { $0 != "--" }
    let isJSON =
      options.contains("--format=json")
      || zip(options, options.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    self = isJSON ? .json : .text
  }
}
