import Foundations
import TestSupport
import Testing

@testable import LedgerDatabase

/// What a database refuses is told with what helps, and never as a lock that somebody holds.
@Suite(.offThePool) struct DatabaseFailureTests {
  @Test(arguments: [
    ("53100", "free some space"), ("3F000", "store migrate"), ("0A000", "a later one"),
    ("28P01", "permission"), ("57P01", "database server"), ("55P03", "try again"),
    ("57014", "try again"), ("40001", "try again"), ("XX000", "database server's log"),
  ])
  func aRemedyFitsItsCause(_ state: String, _ remedy: String) {
    let error = FileError(
      DatabaseError(state: state, message: "it said so"), "append", path: "postgres://db/x/0/lock")
    #expect(error.remedy.contains(remedy), "\(state): \(error.remedy)")
    #expect(error.operation.contains("it said so"))
    #expect(error.code != FileError.held(by: "w", path: "p").code)
  }
}
