import CivilTime
import Ledger
import TestSupport
import Testing

@testable import rewards

/// The command that approves a request is the one that made it.
@Suite(.offThePool) struct ApprovalLineTests {
  @Test(arguments: [
    (
      "grant ann/manual/cup: 50000 points 0 exp 7 coins hat/red", "alice (account root)",
      "grant ann --points 50000 --coins 7 --item hat/red --id cup --reason 'it''s' --approve i --actor NAME"
    ),
    (
      "grant ann/manual/cup: 0 points 0 exp 0 coins hat/rose red hat/x;y", "root",
      "grant ann --item 'hat/rose red' --item 'hat/x;y' --id cup --reason 'it''s' --approve i"
    ),
    (
      "release ann/2026-11-20/gift: 50000 points, 0 exp, 0 coins", "root",
      "release ann/2026-11-20/gift --reason 'it''s' --approve i"
    ),
    (
      "reverse ann/2026-11-20/gift: -50000 points, 0 exp, 0 coins, as of line 7", "root",
      "reverse ann/2026-11-20/gift --reason 'it''s' --approve i"
    ),
    (
      "give back ann/level/2: 0 points, 50000 exp, 0 coins, as of line 7", "root",
      "reverse ann/level/2 --undo --reason 'it''s' --approve i"
    ),
    (
      "apply the plan 45b08b388e8c: -50000 points, 0 exp, 0 coins", "root",
      "backfill --apply FILE --approve i"
    ),
    (
      #"broadcast {"title":"Cup: \"A\"","body":"it's on","locKey":"CUP"}"#, "alice (account root)",
      #"relay broadcast --title 'Cup: "A"' --body 'it''s on' --loc-key 'CUP' --reason 'it''s' --approve i --actor NAME"#
    ),
    ("credit ann 5000 exp at 2026-11-20T00:00:00Z, id c", "root", "ingest FILE --approve i"),
    (
      "import opening balances: 50000 points, 0 exp, 0 coins; users 1; entries 92bd", "root",
      "users import FILE --approve i"
    ),
    (
      "excuse 2026-11-15..2026-12-10: users ann bob; zones Asia/Tokyo", "root",
      "excuse --from 2026-11-15 --to 2026-12-10 --user ann --user bob --zone Asia/Tokyo --reason 'it''s' --approve i"
    ),
    (
      "excuse 2026-11-15..2026-12-10: everybody", "root",
      "excuse --from 2026-11-15 --to 2026-12-10 --everybody --reason 'it''s' --approve i"
    ),
    ("limits pointsByHand 50000, by account", "root", "approve i"),
    (
      "rules autumn from 2026-11-20, SHA-256 92bd", "alice (account root)", "approve i --actor NAME"
    ),
  ])
  func approvalsAreLines(what: String, actor: String, line: String) {
    var requests = LedgerState()
    requests.apply(
      Record(
        seq: 1, at: Instant(seconds: 0),
        body: .operator(
          OperatorRecord(act: .request, subject: "i", what: what, reason: "it's", actor: actor))))
    let mark = requests.requests.all["i"]
    #expect(
      mark.map { ApprovalLine.text("i", $0) }
        == "rewards \(line.replacing("it''s", with: #"it'\''s"#))")
  }
}
