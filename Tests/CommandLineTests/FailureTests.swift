import CivilTime
import Configuration
import Failures
import Glibc
import HTTPClient
import HTTPServer
import Ledger
import LedgerDatabase
import NotificationRelay
import RewardRules
import Scheduling
import StrictJSON
import TestSupport
import Testing

@testable import CheerAPI
@testable import Foundations
@testable import LedgerStore
@testable import Operations
@testable import rewards

/// What each error from below means to whoever asked: exit code, place and remedy.
@Suite(.offThePool) struct FailureTests {
  private static let address = ListenAddress.loopback(port: 80)
  private static let full = FileError(operation: "write", path: "/d/f", code: ENOSPC)
  private static let server = "Check the database server and the account's permissions."
  private static let report = "This is a bug in rewards. Please report it with the command you ran."

  private static let table: [(error: any Error, code: ExitCode, place: String?, remedy: String?)] =
    [
      (UsageError(cause: "c", hint: "h"), .usage, nil, "h"),
      (
        ConfigurationError.unreadable(ReadError(path: "/c", code: ENOENT)), .noInput, "/c",
        "Name the configuration with --config FILE or $REWARDS_CONFIG."
      ),
      (
        ConfigurationError.unreadable(ReadError(path: "/c", code: EIO)), .configuration, "/c",
        "Name the configuration with --config FILE or $REWARDS_CONFIG."
      ),
      (
        ConfigurationError.invalid([ConfigurationProblem(place: "/c", path: "data", what: "no")]),
        .configuration, nil, nil
      ),
      (ReadError(path: "/f", code: ENOTDIR), .noInput, "/f", nil),
      (ReadError(path: "/f", code: EACCES), .permission, "/f", nil),
      (ReadError(path: "/f", code: EIO), .inputOutput, "/f", nil),
      (ReadError(path: "/f", what: "is too long"), .badData, "/f", nil),
      (
        SecretError(reference: .environment("S"), what: "is empty"), .configuration, nil,
        SecretReference.environment("S").remedy(in: nil)
      ),
      (ZoneError(name: "Mars", what: "unknown"), .badData, "time zone \"Mars\"", nil),
      (RuleBookProblem.noDocuments, .badData, nil, nil),
      (full, .inputOutput, nil, "free some space; the ledger then continues by itself"),
      (
        FileError(operation: "o", path: "/d", code: EACCES), .permission, nil,
        "give this user read and write permission"
      ),
      (FileError(operation: "o", path: "/d", code: EBUSY), .tryAgain, nil, "try again"),
      (
        FileError(operation: "o", path: "/d", code: ESTALE), .tryAgain, nil,
        "nothing acknowledged is lost; restart to continue from what is there"
      ),
      (
        FileError(operation: "o", path: "/d", code: ENOTCONN), .unavailable, nil,
        "check the database server; once it answers, the ledger continues by itself"
      ),
      (
        LedgerError(full), .inputOutput, "/d/f",
        "free some space; the ledger then continues by itself"
      ),
      (LedgerError(.locked, place: "p", cause: "c", remedy: "r"), .tryAgain, "p", "r"),
      (LedgerError(.missing, place: "p", cause: "c", remedy: "r"), .noInput, "p", "r"),
      (LedgerError(.closed, place: "p", cause: "c", remedy: "r"), .inputOutput, "p", "r"),
      (LedgerError(.damaged([]), place: "p", cause: "c", remedy: "r"), .badData, "p", "r"),
      (LedgerError(.headMissing, place: "p", cause: "c", remedy: "r"), .badData, "p", "r"),
      (LedgerError(.newerFormat, place: "p", cause: "c", remedy: "r"), .badData, "p", "r"),
      (LedgerError(.refused, place: "p", cause: "c", remedy: "r"), .badData, "p", "r"),
      (LedgerError(.checkpoint, place: "p", cause: "c", remedy: "r"), .badData, "p", "r"),
      (RuntimeError(kind: .configuration, cause: "c", remedy: "r"), .configuration, nil, "r"),
      (RuntimeError(kind: .clock, cause: "c", remedy: "r"), .tryAgain, nil, "r"),
      (RuntimeError(kind: .shards, cause: "c", remedy: "r"), .tryAgain, nil, "r"),
      (RuntimeError(kind: .present, cause: "c", remedy: "r"), .usage, "--now", "r"),
      (RuntimeError(kind: .lines, cause: "c", remedy: "r"), .badData, nil, "r"),
      (BaseURLError(what: "names no host"), .configuration, "api.baseURL", nil),
      (DocumentProblem(path: "a.b", line: 2, column: 3, what: "no"), .badData, nil, nil),
      (
        HTTPServerError(address: address, cause: "taken", remedy: "r"), .unavailable,
        "127.0.0.1:80", "r"
      ),
      (RelayError(place: "p", cause: "c", remedy: "r"), .badData, "p", "r"),
      (
        SecondActor.Problem.notRequested(id: "a1"), .permission, nil,
        "rewards approvals --all shows what became of each; to ask anew, do the act without an id"
      ),
      (SpawnError(executable: "/x", code: ENOENT), .inputOutput, nil, nil),
      (HTTPFailure.timedOut, .unavailable, nil, nil),
      (RecordError(type: .grant, beginning: "{", what: "too long"), .badData, nil, nil),
      (DatabaseError(state: "0A000", message: "cannot"), .usage, nil, nil),
      (DatabaseError(state: "08006", message: "gone"), .unavailable, nil, server),
      (DatabaseError(state: "42501", message: "no"), .permission, nil, server),
      (DatabaseError(state: "55P03", message: "held"), .tryAgain, nil, server),
      (DatabaseError(state: "42P01", message: "what"), .badData, nil, server),
      (CancellationError(), .tryAgain, nil, nil),
      (Failure(.usage, "c", place: "p", remedy: "r"), .usage, "p", "r"),
      (Surprise(), .internalError, nil, report),
    ]

  @Test func everyErrorSaysItsOwn() {
    for row in Self.table {
      let failure = Failure(describing: row.error)
      #expect(failure.exitCode == row.code, "\(row.error)")
      #expect(failure.place == row.place, "\(row.error)")
      #expect(failure.remedy == row.remedy, "\(row.error)")
      #expect(!failure.cause.isEmpty, "\(row.error)")
    }
  }

  private struct Surprise: Error {}
}
