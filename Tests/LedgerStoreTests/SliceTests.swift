import CivilTime
import Evidence
import Foundations
import Ledger
import LedgerStore
import RewardRules
import TestSupport
import Testing

/// Parts of a ledger: exactly the lines that pass, in order, as they stand.
@Suite(.offThePool) struct SliceTests {
  private static let users = 40

  /// A ledger of some segments with grants, levels and a close.
  private static func ledger() async throws -> Bench {
    var bench = try Bench()
    bench.segmentLimitBytes = 3_000
    let store = try bench.open()
    for number in 0..<users {
      _ = try store.append([
        Bench.grant(number),
        .level(
          LevelRecord(user: "user\(number)", level: 2, effective: Instant(seconds: 1_795_186_000))),
      ])
    }
    store.close()
    return bench
  }

  private func slice(
    _ bench: Bench, as format: LedgerSlices.Format = .lines,
    _ change: (inout LineSelection) -> Void = { _ in }
  ) throws -> [String] {
    var selection = LineSelection()
    change(&selection)
    var bytes: [UInt8] = []
    try LedgerSlices(LedgerReader.open(bench.directory)).scan(selection, as: format) {
      bytes += $0
      return .next
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  /// Every line with the record in it.
  private func lines(_ bench: Bench) throws -> [(text: String, record: Record)] {
    var texts: [String] = []
    try LedgerReader.open(bench.directory).scanLines(after: 0) { _, line in
      texts.append(String(decoding: line.dropLast(), as: UTF8.self))
      return .next
    }
    return Array(zip(texts, try bench.records()))
  }

  @Test func eachConditionLetsThroughWhatADecodedRecordSays() async throws {
    let bench = try await Self.ledger()
    let all = try lines(bench)
    func wanted(_ isWanted: (Record) -> Bool) -> [String] {
      all.filter { isWanted($0.record) }.map(\.text)
    }
    let middle = all[all.count / 2].record.at
    let day = Day(number: 20_777)
    #expect(try slice(bench) == wanted { $0.body.type != .seal })
    #expect(try slice(bench) { $0.types = [.seal] } == wanted { $0.body.type == .seal })
    #expect(
      try slice(bench) { $0.types = [.grant, .genesis] }
        == wanted { [.grant, .genesis].contains($0.body.type) })
    #expect(
      try slice(bench) { $0.since = middle } == wanted { $0.body.type != .seal && $0.at >= middle })
    #expect(
      try slice(bench) { $0.until = middle } == wanted { $0.body.type != .seal && $0.at < middle })
    #expect(
      try slice(bench) { $0.users = ["user7", "user8"] }.count == 4)
    #expect(try slice(bench) { $0.users = ["user"] }.isEmpty)
    #expect(try slice(bench) { $0.days = day...day } == wanted { $0.body.type == .grant })
    #expect(try slice(bench) { $0.days = day.adding(days: 1)...day.adding(days: 9) }.isEmpty)
    let one = try slice(bench) {
      $0.users = ["user7"]
      $0.types = [.grant]
      $0.days = day...day
    }
    #expect(one.count == 1 && one[0].contains("user7/2026-11-20/watch"))
  }

  @Test func aPackedLedgerGivesTheSameSlices() async throws {
    let bench = try await Self.ledger()
    let before = try slice(bench) { $0.types = [.level] }
    #expect(before.count == Self.users)
    #expect(try !LedgerCompaction(bench.directory).run().isEmpty)
    #expect(try slice(bench) { $0.types = [.level] } == before)
  }

  @Test func rowsHaveTheColumnsOfTheirType() async throws {
    let rows = try slice(try await Self.ledger(), as: .csv(.level)) { $0.types = [.level] }
    #expect(rows[0] == "seq,at,type,user,level,effective,exp,settled")
    #expect(rows.count == Self.users + 1)
    #expect(rows[1].hasSuffix(",level,user0,2,2026-11-20T14:46:40Z,,"))
  }

  @Test func aLineThatIsNoRecordStopsTheSliceWithItsPlace() async throws {
    let bench = try await Self.ledger()
    let path = try bench.segmentPath(1)
    var bytes = try contents(path)
    let line = try #require(bytes.firstIndex(of: 0x0A)) + 1
    bytes[line] = UInt8(ascii: "x")
    try put(bytes, at: path)
    let error = #expect(throws: LedgerError.self) { try slice(bench) }
    #expect(error?.cause.contains("byte \(line)") == true)
  }

  /// Acts have no user: they name the key that they concern, or tell of it in words.
  @Test func whatPeopleHaveDoneForAUserNamesTheirActs() throws {
    let bench = try Bench()
    let store = try bench.open()
    for (act, subject, what) in [
      (OperatorRecord.Act.grant, "ann/manual/cup", nil), (.grant, "anna/manual/cup", nil),
      (.request, "abc", "grant ann/manual/cup: 5 points"), (.approve, "abc", "credit ann 7 exp"),
      (.request, "abd", "credit bob 7 exp"), (.pause, "nightly", nil),
    ] as [(OperatorRecord.Act, String, String?)] {
      _ = try store.append([
        .operator(OperatorRecord(act: act, subject: subject, what: what, reason: "r", actor: "a"))
      ])
    }
    store.close()
    let told = try slice(bench) { selection in
      selection.users = ["ann"]
      selection.onlyManual = true
    }
    #expect(told.count == 3 && told.allSatisfy { $0.contains("ann/") || $0.contains("credit ann") })
    #expect(try slice(bench) { $0.users = ["ann"] }.isEmpty)
  }

  /// Openings and rules name their acts; what many users have behind acts is told for a user who is asked for.
  @Test(arguments: [([], 4), (["ann"], 4), (["bob"], 1)] as [([String], Int)])
  func whatPeopleDidNamesItsAct(users: [String], count: Int) throws {
    let bench = try Bench()
    let store = try bench.open()
    func user(_ name: String, by act: UInt64?) -> RecordBody {
      .user(
        UserRecord(
          user: name, zone: "Etc/UTC", from: Instant(seconds: 0), since: Day(number: 0), by: act))
    }
    func evidence(_ name: String, by act: UInt64?) -> RecordBody {
      let at = Instant(seconds: 0)
      return .evidence(
        EvidenceRecord(
          user: name, activity: Activity(kind: .share, from: at, to: at), source: .inbox,
          observedAt: at, by: act))
    }
    _ = try store.append([
      .operator(OperatorRecord(act: .bringIn, subject: "roster", reason: "r", actor: "a")),
      user("ann", by: 2), user("bob", by: 2), user("cid", by: nil), evidence("ann", by: 2),
      evidence("ann", by: 2), evidence("ann", by: nil), evidence("cid", by: 2),
      .operator(OperatorRecord(act: .grant, subject: "ann/manual/cup", reason: "r", actor: "a")),
    ])
    store.close()
    let told = try slice(bench) { selection in
      selection.users = Set(users)
      selection.types = [.operator, .user, .evidence]
      selection.onlyManual = true
    }
    #expect(told.count == count, "\(told)")
  }
}
