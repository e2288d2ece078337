import LedgerDatabase
import TestSupport
import Testing

/// What a worker makes of the answers about its lease.
@Suite(.offThePool) struct LeaseMachineTests {
  @Test func aLeaseIsRenewedLongBeforeItEnds() {
    var lease = LeaseMachine()
    #expect(lease.token == nil)
    lease.receive(.taken(token: 7), sent: 100)
    #expect(lease.token == 7 && lease.nextQuestion == 105)
    lease.receive(.taken(token: 8), sent: 105)
    #expect(lease.token == 8 && lease.nextQuestion == 110)
  }

  /// While the database is out of reach the lease may end: it is asked about all the same.
  @Test func withoutAnAnswerItIsTriedAgain() {
    var lease = LeaseMachine()
    lease.receive(.taken(token: 7), sent: 100)
    for second in 105..<200 { lease.receive(.unreachable, sent: Double(second)) }
    #expect(lease.token == 7 && lease.nextQuestion == 200)
    lease.receive(.taken(token: 7), sent: 200)
    #expect(lease.nextQuestion == 205)
  }

  @Test func whoWasReplacedStaysOut() {
    var lease = LeaseMachine()
    lease.receive(.taken(token: 7), sent: 100)
    lease.receive(.replaced, sent: 105)
    #expect(lease.state == .lost && lease.token == nil && lease.nextQuestion == nil)
    lease.receive(.taken(token: 9), sent: 106)
    #expect(lease.state == .lost)
  }

  /// A holder who renews is alive; one who does not is waited for until the end of the lease.
  @Test func aLivingHolderIsToldFromADeadOne() throws {
    var lease = LeaseMachine()
    lease.receive(.heldByOther("a", token: 3, secondsLeft: 14), sent: 100)
    lease.receive(.heldByOther("a", token: 3, secondsLeft: 11.4), sent: 102.5)
    guard case .waiting(let dead, let askAt) = lease.state else {
      Issue.record("\(lease.state)")
      return
    }
    #expect(!dead.isAlive && dead.holder == "a" && askAt == 105)
    lease.receive(.heldByOther("a", token: 3, secondsLeft: 15), sent: 105)
    guard case .waiting(let living, _) = lease.state else {
      Issue.record("\(lease.state)")
      return
    }
    #expect(living.isAlive)
  }

  @Test func anotherTokenIsASignOfLifeToo() {
    var lease = LeaseMachine()
    lease.receive(.heldByOther("a", token: 3, secondsLeft: 1), sent: 100)
    lease.receive(.heldByOther("b", token: 4, secondsLeft: 1), sent: 101)
    guard case .waiting(let holding, _) = lease.state else {
      Issue.record("\(lease.state)")
      return
    }
    #expect(holding.isAlive && holding.holder == "b")
    lease.receive(.taken(token: 5), sent: 102)
    #expect(lease.token == 5)
    lease.giveBack()
    #expect(lease.state == .out)
  }
}
