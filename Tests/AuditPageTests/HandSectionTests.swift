import CivilTime
import RewardRules
import TestSupport
import Testing

@testable import AuditPage

/// What people gave stands on the page, the newest month first, with what evidence gave beside it.
@Suite(.offThePool) struct HandSectionTests {
  private static let october = Day(number: 20_727)
  private static let november = october.adding(days: 31)

  private static func row(
    _ month: Day, _ door: GivenByHand.Door, _ who: String?, points: Int64, agreed: Int64 = 0
  ) -> GivenByHand.Row {
    var row = GivenByHand.Row(GivenByHand.Place(month: month, door: door, who: who))
    row.sums.records = 2
    row.sums.amounts.points = points
    row.agreed.records = agreed > 0 ? 1 : 0
    row.agreed.amounts.points = agreed
    row.users = 1
    return row
  }

  private static func page(_ given: GivenByHand) -> String {
    let figures = AuditFigures(
      origin: AuditFigures.Origin(
        ledger: "L", head: "", tzdata: "2026a", program: "rewards", madeAt: Instant(seconds: 0)))
    let report = AuditReport(checks: [], byHand: given)
    var bytes: [UInt8] = []
    AuditPage(AuditOutcome(report: report, figures: figures, records: [:])).write { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func saysThatNobodyGaveAnything() {
    #expect(Self.page(GivenByHand()).contains("Nobody has given anything by hand."))
  }

  @Test func showsTheNewestMonthFirst() {
    let rows = [
      Self.row(Self.october, .plan, "al<ice", points: -20),
      Self.row(Self.november, .credit, nil, points: 3_000),
      Self.row(Self.november, .gift, "bob", points: 5_000, agreed: 4_000),
    ]
    let evidence = [
      Self.october: Amounts { $0 == .points ? 70 : 0 }, Self.november.adding(days: 30): Amounts(),
    ]
    let given = GivenByHand(rows, evidence: evidence)
    #expect(given.rows.map(\.place.door) == [.gift, .credit, .plan])
    #expect(given.rows.map(\.agreement) == ["4000 points", "none", "none"])
    // Of months in which nobody gave anything, nothing is said.
    #expect(given.evidence.keys.sorted() == [Self.october])
    let page = Self.page(given)
    let row = /<tr><td>(?<month>20[0-9-]+)<\/td><th scope="row">(?<door>[a-z ]+)</
    let shown = page.matches(of: row).map { "\($0.output.month) \($0.output.door)" }
    #expect(
      shown == [
        "2026-11 gift", "2026-11 credit line", "2026-11 evidence", "2026-10 plan",
        "2026-10 evidence",
      ])
    #expect(page.contains("al&lt;ice") && page.contains("not recorded"))
    #expect(page.contains("\u{2212}20"))
  }

  @Test func countsTheRowsThatItDoesNotShow() {
    let rows = (0..<203).map { number in
      Self.row(Self.november, .gift, "person \(number)", points: 1)
    }
    let page = Self.page(GivenByHand(rows))
    #expect(page.contains("3 older rows not shown"))
    #expect(page.split(separator: "<th scope=\"row\">gift</th>").count == 201)
  }

  /// A limit of nothing is used up by anything.
  @Test func comparesWhatUsersGotWithTheLimit() {
    let month = Self.november
    let few = GivenByHand.Receiver(
      user: "ann", month: month, sums: GivenByHand.Sums(["points": 500, "items": 3]),
      limit: GivenByHand.Sums(["points": 20_000, "items": 6]))
    let much = GivenByHand.Receiver(
      user: "ben", month: month, sums: GivenByHand.Sums(["points": .max]),
      limit: GivenByHand.Sums([:]))
    #expect(few.share == 0.5)
    let row = Self.row(Self.november, .gift, "bob", points: 500)
    let page = Self.page(GivenByHand([row], receivers: [much, few]))
    #expect(page.contains("<td>500 points, 3 items</td><td>20000 points, 6 items</td>"))
    #expect(page.contains("<td class=\"number\">50%</td>"))
    #expect(page.contains("<td class=\"number\">100000000%</td>"))
  }
}
