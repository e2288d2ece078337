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
      "done; needs attention: findings, damage that `ledger verify` found, unknowns, refused records, days that wait for a backfill"
    case .usage: "usage error"
    case .badData:
      "bad data: a file, a rules document, a ledger too damaged for the command, a ledger in a newer format"
    case .noInput: "no input: a file or the ledger does not exist"
    case .unavailable:
      "unavailable: an address is in use, or a sink or the database does not answer"
    case .internalError: "a bug in rewards"
    case .cannotCreate: "cannot create a file"
    case .inputOutput: "reading or writing failed"
    case .tryAgain:
      "try again: another process holds the ledger, the clock cannot be right, a close waits for other shards, or the command was interrupted"
    case .permission: "no permission, or a second person must approve"
    case .configuration: "wrong or missing configuration, credentials or secrets"
    }
  }
}
