import AuditPage
import CivilTime
import Evidence
import Ledger
import LedgerStore
import RewardRules
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// The audit sums up what people gave, by month, door and person.
@Suite(.offThePool) struct HandCountTests {
  /// Counts records, each before the state knows it; the lines `agreed` are those that two people agreed on.
  private func given(
    _ bodies: [(at: String, body: RecordBody)], agreed: [UInt64: String] = [:]
  ) throws -> GivenByHand {
    var acts: [UInt64: OperatorRecord] = [:]
    var records: [Record] = []
    for (number, line) in bodies.enumerated() {
      let at = try InstantText.parse("2026-\(line.at):00Z").instant
      records.append(Record(seq: UInt64(number + 1), at: at, body: line.body))
      if case .operator(let act) = line.body { acts[UInt64(number + 1)] = act }
    }
    var count = HandCount(acts: acts, agreed: agreed)
    var state = LedgerState()
    for record in records {
      count.add(record, before: state)
      state.apply(record)
    }
    return count.given
  }

  private func user(_ name: String) throws -> UserRecord {
    let from = try InstantText.parse("2026-10-01T00:00:00Z").instant
    return UserRecord(user: name, zone: "UTC", from: from, since: Day("2026-10-01"))
  }

  private func act(_ act: OperatorRecord.Act, by actor: String) -> RecordBody {
    .operator(OperatorRecord(act: act, subject: "x", reason: "why", actor: actor))
  }

  private func credit(
    _ user: String, _ points: Int64, by: UInt64? = nil, from source: String? = nil
  ) -> RecordBody {
    var record = CreditRecord(
      user: user, Credit(effective: Instant(seconds: 1_800_000_000), points: points),
      sender: source)
    record.by = by
    return .credit(record)
  }

  /// A row in a few words.
  private func words(_ row: GivenByHand.Row) -> String {
    let place = row.place
    return
      "\(GivenByHand.text(ofMonth: place.month)) \(place.door) \(place.who ?? "nobody"): "
      + "\(row.sums.records) to \(row.users), \(row.sums.text), agreed \(row.agreement)"
  }

  @Test func countsByMonthDoorAndPerson() throws {
    let (october, november) = ("10-31T23:59", "11-01T00:00")
    let given = try given(
      [
        (october, .user(try user("ann"))), (october, .user(try user("ben"))),
        (october, act(.deliver, by: "alice (account root)")),
        (october, credit("ann", 5, by: 3)), (october, credit("ann", 7, by: 3)),
        (october, credit("ben", 1, by: 3)),
        (november, act(.deliver, by: "Root")),
        (november, credit("ann", 11, by: 7)),
        (november, act(.deliver, by: "carol")),
        (november, credit("ann", 90, by: 9)),
        // What is only spent is no gift.
        (november, credit("ann", 4, from: "shop")), (november, credit("ann", -4, from: "shop")),
        (november, credit("ben", 2)),
      ], agreed: [9: "a credit"])
    #expect(
      given.rows.map(words) == [
        "2026-11 credit nobody: 1 to 1, 2 points, agreed none",
        "2026-11 credit carol: 1 to 1, 90 points, agreed all",
        "2026-11 credit root: 1 to 1, 11 points, agreed none",
        "2026-11 source shop: 1 to 1, 4 points, agreed none",
        "2026-10 credit root: 3 to 2, 13 points, agreed none",
      ])
    let receivers = given.receivers.map { "\($0.user) \($0.month) \($0.sums.text)" }
    #expect(receivers.first == "ann 2026-11-01 101 points")
    #expect(receivers.contains("ann 2026-10-01 12 points"))
    #expect(given.receivers.first?.limit.amounts.points == 20_000)
  }

  /// Those with the largest part of the limit are kept, each month of a user once.
  @Test func keepsTheTenWhoGotTheMost() throws {
    let at = "11-05T12:00"
    var bodies = try (0..<15).map { (at: at, body: RecordBody.user(try user("u\($0)"))) }
    bodies.append((at, act(.deliver, by: "root")))
    for round in 1...2 {
      for number in 0..<15 {
        bodies.append((at, credit("u\(number)", Int64(number * round + 1), by: 16)))
      }
    }
    let given = try given(bodies)
    #expect(given.receivers.map(\.user) == (5..<15).reversed().map { "u\($0)" })
    #expect(given.receivers.first?.sums.amounts.points == 44)
    #expect(given.rows.map(\.users) == [15])
  }

  /// Ended days and a pardon count by the days of their users.
  @Test func countsTheDaysOfUsers() throws {
    let at = "10-11T06:00"
    var past = try user("ann")
    past.by = 1
    var opened = past
    opened.user = "ben"
    opened.opening = OpeningBalance(Amounts { $0 == .coins ? 9 : 0 }, items: ["fontColor/red"])
    let day = try #require(Day("2026-10-05"))
    var pardon = ExcuseRecord(
      from: day, to: day.adding(days: 1), users: ["ann", "ben"], reason: "why", actor: "bob")
    pardon.by = 4
    var outage = pardon
    outage.outage = ExcuseRecord.Outage(from: past.from, to: past.from.adding(seconds: 60))
    let given = try given([
      (at, act(.bringIn, by: "alice")), (at, .user(past)), (at, .user(opened)),
      (at, act(.excuse, by: "bob")), (at, .excuse(pardon)), (at, .excuse(outage)),
    ])
    #expect(
      given.rows.map(words) == [
        "2026-10 opening alice: 1 to 1, 9 coins, 1 item, 10 user-days, agreed none",
        "2026-10 endedDays alice: 1 to 1, 10 user-days, agreed none",
        "2026-10 pardon bob: 1 to 2, 4 user-days, agreed none",
      ])
  }

  /// An audit shows what people did in a ledger, and what evidence gave beside it.
  @Test func anAuditShowsWhatPeopleGave() async throws {
    let place = try await AuditScene.healthy()
    try await place.at("2026-11-16T00:40:00Z") { runtime in
      let line = """
        {"user":"u4","kind":"credit","at":"2026-11-16T00:35:00Z","coins":3,"id":"c"}

        """
      _ = try await Ingestion(runtime).run(Array(line.utf8), name: "credit.jsonl")
      for (points, people) in [(20_000, ["alice", "bob"]), (10, ["bob"])] as [(Int64, [String])] {
        var reward = Reward()
        reward.points = points
        let act = BigAct.gift(reward, under: "u3/manual/\(points)", reason: "prize")
        for (actor, approving) in zip(people, [nil, act.id]) {
          _ = try? await runtime.secondActor.carryOut(act, approving: approving, actor: actor) {
            [reward] request in
            try await ManualGift(runtime.writer).give(
              reward, to: "u3", id: "\(points)", reason: "prize", actor: actor, request: request)
          }
        }
      }
    }
    let clock = FixedClock(at: try InstantText.parse("2026-11-16T01:00:00Z").instant)
    let report = try await Audit(place.configuration(), place.environment(clock)).run()
    #expect(report.checks.first { $0.id == 15 }?.passed == true)
    let given = report.byHand
    #expect(
      given.rows.map(words) == [
        "2026-11 gift bob: 2 to 1, 20010 points, agreed 20000 points",
        "2026-11 credit inbox: 1 to 1, 3 coins, agreed none",
        "2026-11 activity inbox: 119 to 20, , agreed none",
      ])
    let grants = try LedgerFacts(place.directory).records.compactMap { record -> Amounts? in
      if case .grant(let grant) = record.body, grant.by == nil { grant.reward.amounts } else { nil }
    }
    let month = try #require(Day("2026-11-01"))
    #expect(given.evidence == [month: grants.reduce(Amounts(), +)])
    #expect(given.receivers.map(\.user) == ["u3", "u4"])
    #expect(given.receivers.first { $0.user == "u3" }?.sums.amounts.points == 10)
  }
}
