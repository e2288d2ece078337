/// The exit code of a command: done, done but needing attention, or a code of sysexits.
public enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  /// Done; needs attention: findings, unknowns or refused records.
  case attention = 1
  case usage = 64
  case badData = 65
  case noInput = 66
  case unavailable = 69
  case internalError = 70
  case cannotCreate = 73
  case inputOutput = 74
  case tryAgain = 75
  case permission = 77
  case configuration = 78

  /// The meaning of the code for the caller.
  public var meaning: String {
    switch self {
    case .done: "done"
    case .attention:
      "done, and something needs a look: findings, damage that `ledger verify` names, unknowns, refused records, days that wait"
    case .usage: "wrong usage"
    case .badData:
      "bad data: a file, a rules document, a ledger too damaged for what was asked, a ledger of a newer format"
    case .noInput: "no input: a file or a ledger is not there"
    case .unavailable: "unavailable: an address cannot be had, a sink does not answer"
    case .internalError: "a mistake of the program"
    case .cannotCreate: "cannot create"
    case .inputOutput: "input or output failed"
    case .tryAgain:
      "try again: the ledger is held by another process, the clock cannot be right, a close waits for other shards, interrupted"
    case .permission: "no permission, or a second person must want it too"
    case .configuration: "configuration, credentials, secrets"
    }
  }
}
