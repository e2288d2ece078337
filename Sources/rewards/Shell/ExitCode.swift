/// What a command tells the shell that called it: done, done with something to look at, or a code of sysexits.
enum ExitCode: Int32, Sendable {
  case done = 0
  /// Done, and something needs attention: findings, unknowns, refused records.
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
}
