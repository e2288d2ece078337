import CheerAPI
import CivilTime
import Configuration
import Files
import Glibc
import HTTPServer
import LedgerStore
import NotificationRelay
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Why a command could not do its work: the exit code and, for the operator, cause, place and remedy.
struct CommandFailure: Error, Equatable, Sendable, CustomStringConvertible {
  let exitCode: ExitCode
  /// What is wrong.
  let cause: String
  /// What else is wrong, each with its place.
  let others: [String]
  /// File, line, key or argument; nil when the cause says it.
  var place: String?
  /// What to do about it; nil when the cause says it.
  let remedy: String?

  init(_ exitCode: ExitCode, _ cause: String, place: String? = nil, remedy: String? = nil) {
    self.exitCode = exitCode
    self.cause = cause
    self.place = place
    self.remedy = remedy
    others = []
  }

  /// Several mistakes at once, each with its place; one at least.
  init(_ exitCode: ExitCode, problems: [String]) {
    self.exitCode = exitCode
    cause = problems.first ?? ""
    others = Array(problems.dropFirst())
    place = nil
    remedy = nil
  }

  /// Somebody whom the ledger does not know.
  static func unknownUser(_ user: String) -> CommandFailure {
    CommandFailure(
      .badData, "the ledger knows no such user", place: "user \"\(user)\"",
      remedy: "See rewards users find TEXT.")
  }

  /// Somebody who is not in the roster, or has left it.
  static func noMember(_ user: String) -> CommandFailure {
    CommandFailure(
      .badData, "the roster has no such user", place: "user \"\(user)\"",
      remedy: "See rewards users list.")
  }

  /// What stands on standard error: ``text``, or one JSON object a line for each mistake.
  func text(in format: OutputFormat) -> String {
    guard format == .json else { return text }
    return ([(cause, place, remedy)] + others.map { ($0, nil, nil) }).map { cause, place, remedy in
      var json = JSONWriter()
      json.beginObject()
      json.member("exitCode", exitCode.rawValue)
      json.member("cause", cause)
      json.member("place", place)
      json.member("remedy", remedy)
      json.endObject()
      return json.text + "\n"
    }.joined()
  }

  /// One line with place and cause, and one with the remedy when there is one; what others have written in them is made
  /// plain and short.
  var text: String {
    let shown = cause.split(separator: "\n", omittingEmptySubsequences: false).map {
      ShownText.short(String($0), limit: Self.causeLimit)
    }.joined(separator: "\n")
    let place = place.map { "\(ShownText.short($0, limit: Self.placeLimit)): " } ?? ""
    let head = "rewards: \(place)\(shown)\n"
    let more = others.map { "rewards: \(ShownText.short($0, limit: Self.causeLimit))\n" }.joined()
    let remedy = remedy.map { "  \(ShownText.short($0, limit: Self.causeLimit))\n" } ?? ""
    return ShownText.plain(head + more + remedy)
  }

  private static let placeLimit = 300
  private static let causeLimit = 800
}

/// What errors from below mean to the caller of a command. An error that is not named here is our own mistake.
extension CommandFailure {
  var description: String { cause }

  init(describing error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as UsageError: self.init(error)
    case let error as ConfigurationError: self.init(error)
    case let error as ReadError: self.init(reading: error)
    case let error as SecretError:
      self.init(.configuration, "\(error)")
    case let error as ZoneError:
      self.init(.badData, error.what, place: "time zone \"\(error.name)\"")
    case let error as ScheduleError: self.init(.badData, "\(error)")
    case let error as RulesFileProblems: self.init(.badData, problems: error.lines)
    case let error as RuleBookProblem: self.init(.badData, "\(error)")
    case let error as LedgerError: self.init(error)
    case let error as FileError:
      self.init(Self.code(of: error), "\(error)", remedy: error.remedy)
    case let error as RuntimeError:
      let code: ExitCode =
        switch error.kind {
        case .configuration: .configuration
        case .clock, .shards: .tryAgain
        case .present: .usage
        case .lines: .badData
        }
      let place = error.kind == .present ? "--now" : nil
      self.init(code, error.cause, place: place, remedy: error.remedy)
    case let error as CredentialError: self.init(.configuration, "\(error)")
    case let error as BaseURLError: self.init(.configuration, "\(error)", place: "api.baseURL")
    case let error as DocumentProblem: self.init(.badData, "\(error)")
    case let error as HTTPServerError:
      self.init(.unavailable, error.cause, place: "\(error.address)", remedy: error.remedy)
    case let error as RelayError:
      self.init(
        error.failure.map(Self.code) ?? .badData, error.cause, place: error.place,
        remedy: error.remedy)
    case let error as SecondActor.Problem:
      self.init(.permission, error.cause, remedy: error.remedy)
    case let error as JobFolder.Problem: self.init(.badData, "\(error)")
    case is CancellationError: self.init(.tryAgain, "interrupted")
    default:
      self.init(
        .internalError, "\(error)",
        remedy: "This is a mistake of the program; report it with the command line.")
    }
  }

  /// An error of the caller's, with the line that shows how it is done.
  init(_ error: UsageError) {
    self.init(.usage, error.cause, remedy: error.hint)
  }

  /// A file that could not be read.
  init(reading error: ReadError) {
    let code: ExitCode =
      error.isMissing
      ? .noInput : error.isForbidden ? .permission : error.code == 0 ? .badData : .inputOutput
    self.init(code, error.what, place: error.path)
  }

  private static func code(of error: FileError) -> ExitCode {
    if error.isStale { return .tryAgain }
    // A database that does not answer, or has too much to do.
    if error.code == ENOTCONN { return .unavailable }
    if error.code == EBUSY { return .tryAgain }
    return error.code == EACCES || error.code == EPERM ? .permission : .inputOutput
  }

  init(_ error: LedgerError) {
    let code: ExitCode =
      switch error.kind {
      case .locked: .tryAgain
      case .missing: .noInput
      case .inputOutput(let error): Self.code(of: error)
      case .closed: .inputOutput
      case .damaged, .headMissing, .newerFormat, .refused, .checkpoint: .badData
      }
    self.init(code, error.cause, place: error.place, remedy: error.remedy)
  }

  private init(_ error: ConfigurationError) {
    switch error {
    case .unreadable(let error):
      let code: ExitCode = error.isMissing ? .noInput : .configuration
      self.init(
        code, error.what, place: error.path,
        remedy: "Name the configuration with --config FILE or $REWARDS_CONFIG.")
    case .invalid(let problems):
      self.init(.configuration, problems: problems.map(\.description))
    }
  }
}
