import CivilTime
import Ledger
import TestSupport
import Testing

@testable import Scheduling

/// Who are two people.
@Suite(.offThePool) struct PeopleTests {
  private static let credit = "a credit line of the source shop beyond its limits"

  /// A request, and an approval; a signature stands behind a word that begins with "+".
  struct Case: CustomTestStringConvertible, Sendable {
    let by: HandLimits.Person
    let asked: String
    let approver: String
    let areTwo: Bool
    var reason = "r"
    var what = "grant ann/manual/cup: 5 points 0 exp 0 coins"
    var testDescription: String { "\(by): \(asked), \(approver)" }
  }

  static let cases = [
    Case(by: .account, asked: "alice", approver: "bob", areTwo: true),
    Case(by: .account, asked: "alice", approver: "Alice", areTwo: false),
    Case(by: .account, asked: "bea (account op)", approver: "cy (account op)", areTwo: false),
    Case(by: .account, asked: "bea (account op)", approver: "op", areTwo: false),
    Case(by: .actor, asked: "bea (account op)", approver: "cy (account op)", areTwo: true),
    Case(by: .actor, asked: "bea (account op)", approver: "op", areTwo: false),
    // Nobody knows who wrote a file.
    Case(by: .account, asked: "inbox", approver: "bob", areTwo: false),
    Case(by: .account, asked: "roster", approver: "bob", areTwo: false),
    Case(by: .account, asked: "configuration", approver: "bob", areTwo: false),
    // Whoever may write to the database can name any account there.
    Case(by: .account, asked: "alice@database", approver: "bob@database", areTwo: false),
    Case(by: .account, asked: "alice@database", approver: "bob", areTwo: false),
    Case(by: .account, asked: "bob", approver: "alice@database", areTwo: false),
    Case(
      by: .account, asked: "alice@database", approver: "+bob@x.org (key SHA256:b)", areTwo: false),
    Case(
      by: .account, asked: "bea (account op@database)", approver: "cy (account op)", areTwo: false),
    Case(
      by: .actor, asked: "bea (account op@database)", approver: "cy (account op@database)",
      areTwo: true),
    // A key is a person, but nobody says so without signing.
    Case(by: .account, asked: "alice", approver: "+bob@x.org (key SHA256:b)", areTwo: true),
    Case(by: .account, asked: "alice", approver: "bob@x.org (key SHA256:b)", areTwo: false),
    Case(by: .account, asked: "alice", approver: "+alice@x.org (key SHA256:a)", areTwo: false),
    Case(
      by: .account, asked: "bob (account op)", approver: "+Bob (key SHA256:b)", areTwo: false),
    Case(by: .actor, asked: "op", approver: "+bob@x.org (key SHA256:b)", areTwo: true),
    // Where only keys are people, an account is nobody.
    Case(by: .signature, asked: "alice", approver: "bob", areTwo: false),
    Case(by: .signature, asked: "alice", approver: "+bob (key SHA256:b)", areTwo: false),
    Case(
      by: .signature, asked: "+alice (key SHA256:a)", approver: "+bob (key SHA256:b)",
      areTwo: true),
    Case(
      by: .signature, asked: "+alice (key SHA256:a)", approver: "+alice (key SHA256:c)",
      areTwo: false),
    Case(by: .signature, asked: "+alice (key SHA256:a)", approver: "bob", areTwo: false),
    // One key is one person, whatever names it has.
    Case(
      by: .signature, asked: "+alice (key SHA256:a)", approver: "+bob (key SHA256:a)",
      areTwo: false),
    // A source is no person, and only its own credit lines are its requests.
    Case(
      by: .account, asked: "shop", approver: "bob", areTwo: false, reason: credit,
      what: "credit ann 5 exp"),
    Case(
      by: .account, asked: "bob", approver: "bob", areTwo: false, reason: credit,
      what: "credit ann 5 exp"),
    Case(by: .account, asked: "bob", approver: "bob", areTwo: false, reason: credit),
    Case(
      by: .signature, asked: "shop", approver: "+bob (key SHA256:b)", areTwo: false, reason: credit,
      what: "credit ann 5 exp"),
  ]

  private static func record(
    _ kind: OperatorRecord.Act, _ actor: String, _ it: Case
  ) -> RecordBody {
    let isSigned = actor.hasPrefix("+")
    return BigAct(what: it.what, reason: it.reason).record(
      kind, by: isSigned ? String(actor.dropFirst()) : actor, signature: isSigned ? "s" : nil)
  }

  /// Returns the state after the request and its approval.
  private static func state(after it: Case) -> LedgerState {
    var limits = HandLimits()
    limits.by = it.by
    var setting = OperatorRecord(act: .limits, subject: "approval", reason: "r", actor: "op")
    setting.limits = limits
    let bodies = [
      .operator(setting), Self.record(.request, it.asked, it),
      Self.record(.approve, it.approver, it),
    ]
    var state = LedgerState()
    for (place, body) in bodies.enumerated() {
      state.apply(Record(seq: UInt64(place + 1), at: Instant(seconds: 0), body: body))
    }
    return state
  }

  @Test(arguments: cases) func twoPeopleAreTwo(_ it: Case) {
    let state = Self.state(after: it)
    let act = BigAct(what: it.what, reason: it.reason)
    #expect(state.isAgreed(act) == it.areTwo)
    // An id is too short to say what was agreed on.
    #expect(!state.isAgreed(BigAct(what: it.what, reason: "another")))
  }

  /// With other signers, only what people agreed on without signatures stays agreed.
  @Test(arguments: cases.filter(\.areTwo)) func otherSignersBeginAgain(_ it: Case) {
    var state = Self.state(after: it)
    var signers = OperatorRecord(act: .signers, subject: "approval", reason: "r", actor: "op")
    signers.signers = ""
    state.apply(Record(seq: 9, at: Instant(seconds: 0), body: .operator(signers)))
    let isSigned = [it.asked, it.approver].contains { $0.hasPrefix("+") }
    #expect(state.isAgreed(BigAct(what: it.what, reason: it.reason)) == !isSigned)
  }

  /// What whoever agrees signs stays the same when a person makes a request of nobody theirs, and changes once it was carried out.
  @Test func theBytesToSignAreThoseOfOneRequest() {
    let it = Case(by: .account, asked: "configuration", approver: "bob", areTwo: true)
    let act = BigAct(what: it.what, reason: it.reason)
    var state = LedgerState()
    func apply(_ seq: UInt64, _ body: RecordBody) -> String? {
      state.apply(Record(seq: seq, at: Instant(seconds: 0), body: body))
      return state.requests.all[act.id].map {
        String(decoding: $0.bytesToSign(act.id, ledger: "l1"), as: UTF8.self)
      }
    }
    let first = apply(7, Self.record(.request, "configuration", it))
    #expect(
      first
        == "rewards approval\nledger l1\nrequest \(act.id), round 1\nact \(it.what)\nreason r\n")
    #expect(apply(8, Self.record(.request, "alice", it)) == first)
    #expect(apply(9, Self.record(.approve, "bob", it)) == first)
    #expect(state.isAgreed(act))
    var done = OperatorRecord(act: .grant, subject: "k", reason: "r", actor: "alice")
    done.request = act.id
    #expect(apply(10, .operator(done)) == first)
    #expect(apply(11, Self.record(.request, "alice", it)) != first)
    #expect(!state.isAgreed(act))
  }
}
