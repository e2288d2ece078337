import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

@Suite(.offThePool) struct InboxParserTests {
  private func parse(_ text: String) throws -> InboxEntry {
    let parser = InboxParser(naiveZone: try SchedulerFixture.zones.zone(named: "Asia/Tokyo"))
    return try Array(text.utf8).withUnsafeBufferPointer { try parser.parse($0) }
  }

  @Test func goodLines() throws {
    let at = try SchedulerFixture.instant("2026-11-20T05:00:00Z")
    #expect(
      try parse(#"{"user":"a","kind":"login","at":"2026-11-20T05:00:00Z"}"#)
        == .activity(user: "a", kind: .login, at: at))
    #expect(
      try parse(#"{"at":"2026-11-20 14:00:00","kind":"share","user":17,"x":[{}],"id":null}"#)
        == .activity(user: "17", kind: .share, at: at))
    #expect(
      try parse(
        #"{"user":"a","kind":"credit","at":"2026-11-20T05:00:00Z","exp":9,"items":["c/i"],"id":4}"#)
        == .credit(
          CreditRecord(user: "a", Credit(effective: at, exp: 9, items: ["c/i"]), id: "4")))
    #expect(
      try parse(
        #"{"user":"a","kind":"credit","at":"2026-11-20T05:00:00Z","points":-300,"coins":9007199254740991,"boosterDays":2,"exp":null,"id":7}"#
      )
        == .credit(
          CreditRecord(
            user: "a",
            Credit(effective: at, points: -300, coins: 9_007_199_254_740_991, boosterDays: 2),
            id: "7")))
    #expect(
      try parse(
        #"{"user":"a","kind":"credit","at":"2026-11-20T05:00:00Z","points":-3,"coins":0,"boosterDays":0,"id":7}"#
      ) == .credit(CreditRecord(user: "a", Credit(effective: at, points: -3), id: "7")))
    // Other lines may have such fields; they are ignored there.
    #expect(
      try parse(#"{"user":"a","kind":"purchase","at":"2026-11-20T05:00:00Z","points":"1.5"}"#)
        == .activity(user: "a", kind: .purchase, at: at))
    #expect(
      try parse(#"{"user":"a","kind":"credit","at":"2026-11-20T05:00:00Z","exp":1}"#)
        == .credit(CreditRecord(user: "a", Credit(effective: at, exp: 1))))
    // As some programs begin a file.
    #expect(
      try parse("\u{FEFF}" + #"{"user":"a","kind":"login","at":"2026-11-20T05:00:00Z"}"#)
        == .activity(user: "a", kind: .login, at: at))
    #expect(
      try parse(#"{"completeThrough":"2026-11-20T14:00:00+09:00"}"#) == .completeThrough(at))
    // As a file in rejected/ holds it.
    #expect(
      try parse(
        #"{"line":3,"reason":"r","text":"{\"user\":\"a\",\"kind\":\"login\",\"at\":\"2026-11-20T05:00:00Z\"}"}"#
      ) == .activity(user: "a", kind: .login, at: at))
    #expect(
      try parse(#"{"user":"a","kind":"comment","at":"2026-11-20T05:00:00Z","text":"hi"}"#)
        == .activity(user: "a", kind: .comment, at: at))
  }

  @Test(arguments: [
    ("nonsense", ""),
    ("[]", ""),
    (#"{"user":"a"} x"#, ""),
    (#"{"kind":"login","at":"2026-11-20T05:00:00Z"}"#, "\"user\" must be 1 to 64"),
    (#"{"line":3,"reason":"r","text":"nonsense"}"#, ""),
    (
      #"{"user":"a","kind":"login","at":"2026-11-20T05:00:00Z","completeThrough":"2026-11-20T06:00:00Z"}"#,
      "\"completeThrough\" needs a line of its own"
    ),
    (#"{"user":"","kind":"login","at":"2026-11-20T05:00:00Z"}"#, "\"user\" must be 1 to 64"),
    (#"{"user":"a/b","kind":"login","at":"2026-11-20T05:00:00Z"}"#, "\"user\" must be 1 to 64"),
    (#"{"user":"a","kind":"login"}"#, "\"at\" is missing"),
    (#"{"user":"a","kind":"login","at":"2026-02-31T05:00:00Z"}"#, "\"at\": "),
    (#"{"user":"a","kind":"login","at":"2026-11-20T05:00:00Z garbage"}"#, "\"at\": "),
    (#"{"user":"a","at":"2026-11-20T05:00:00Z"}"#, "\"kind\" is missing"),
    (#"{"user":"a","kind":"logon","at":"2026-11-20T05:00:00Z"}"#, "unknown kind \"logon\""),
    (#"{"user":"a","kind":"logon","at":"2026-11-20T05:00:00Z"}"#, "login"),
    (#"{"user":"a","kind":"credit","at":"2026-11-20T05:00:00Z"}"#, "a credit must have"),
    (
      #"{"user":"a","kind":"credit","points":0,"coins":0,"items":[],"at":"2026-11-20T05:00:00Z"}"#,
      "a credit must have"
    ),
    (
      #"{"user":"a","kind":"credit","points":1.5,"at":"2026-11-20T05:00:00Z"}"#,
      "\"points\" must be a whole number"
    ),
    (
      #"{"user":"a","kind":"credit","points":"5","at":"2026-11-20T05:00:00Z"}"#,
      "\"points\" must be a whole number"
    ),
    (
      #"{"user":"a","kind":"credit","coins":9007199254740992,"at":"2026-11-20T05:00:00Z"}"#,
      "\"coins\" must be a whole number from -9007199254740991 to 9007199254740991"
    ),
    (
      #"{"user":"a","kind":"credit","points":-99999999999999999999,"at":"2026-11-20T05:00:00Z"}"#,
      "\"points\" must be"
    ),
    (
      #"{"user":"a","kind":"credit","boosterDays":3651,"at":"2026-11-20T05:00:00Z","id":"x"}"#,
      "\"boosterDays\" must be a whole number from 0 to 3650"
    ),
    (
      #"{"user":"a","kind":"credit","points":-3,"at":"2026-11-20T05:00:00Z"}"#,
      "needs the sender's own \"id\""
    ),
    (
      #"{"user":"a","kind":"credit","boosterDays":1,"at":"2026-11-20T05:00:00Z","id":""}"#,
      "needs the sender's own \"id\""
    ),
    (
      #"{"user":"a","kind":"credit","points":-3,"booster":1,"at":"2026-11-20T05:00:00Z","id":"x"}"#,
      "unknown field \"booster\" in a credit; did you mean \"boosterDays\"?"
    ),
    (
      #"{"user":"a","kind":"credit","coin":3,"at":"2026-11-20T05:00:00Z","id":"x"}"#,
      "did you mean \"coins\"?"
    ),
    (#"{"user":"a","kind":"credit","exp":-1,"at":"2026-11-20T05:00:00Z"}"#, "\"exp\" must be"),
    (#"{"user":"a","kind":"credit","exp":1.5,"at":"2026-11-20T05:00:00Z"}"#, ""),
    (#"{"completeThrough":"tomorrow"}"#, "\"completeThrough\": "),
    (
      #"{"user":"a","user":"b","kind":"login","at":"2026-11-20T05:00:00Z"}"#,
      "\"user\" appears twice"
    ),
    (
      #"{"user":"a","kind":"credit","exp":1,"exp":900,"at":"2026-11-20T05:00:00Z"}"#,
      "\"exp\" appears twice"
    ),
  ])
  func badLinesSayWhatIsWrong(line: String, reason: String) throws {
    let problem = #expect(throws: InboxParser.Problem.self) { try parse(line) }
    #expect(problem?.reason.isEmpty == false)
    #expect(reason.isEmpty || problem?.reason.contains(reason) == true, "\(problem?.reason ?? "")")
  }

  @Test func longLinesAreRefusedUnread() throws {
    let padding = String(repeating: " ", count: InboxParser.lineLimitBytes)
    let problem = #expect(throws: InboxParser.Problem.self) {
      try parse(#"{"completeThrough":"2026-11-20T05:00:00Z"}"# + padding)
    }
    #expect(problem?.reason == "longer than 64 KiB")
  }
}
