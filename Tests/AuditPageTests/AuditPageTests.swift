import CivilTime
import RewardRules
import TestSupport
import Testing

@testable import AuditPage

/// The page shows everything literally, links only to what is there, and says in words what it cannot draw.
@Suite(.offThePool) struct AuditPageTests {
  private static let start = Day(number: 20_000)

  private static func figures(days: Int = 0) -> AuditFigures {
    var figures = AuditFigures(
      origin: AuditFigures.Origin(
        ledger: "L<1>", head: "", tzdata: "2026a", program: "rewards",
        madeAt: Instant(seconds: 1_795_222_861)))
    if days > 0 { figures.span = start...start.adding(days: Int32(days - 1)) }
    figures.days = (0..<Int32(days)).map { offset in
      AuditFigures.DayFigures(
        day: start.adding(days: offset),
        missions: ["login": AuditFigures.Sum(grants: 1, Amounts { $0 == .points ? 10 : 0 })])
    }
    return figures
  }

  private static func check(
    _ id: Int, _ findings: [AuditReport.Finding], limit: Int = 100
  ) -> AuditReport.Check {
    AuditReport.Check(
      id, "name", examined: findings.count, found: findings.count,
      findings: Array(findings.prefix(limit)))
  }

  private static func page(
    _ checks: [AuditReport.Check] = [], _ figures: AuditFigures = figures(),
    records: [UInt64: String] = [:]
  ) -> String {
    var bytes: [UInt8] = []
    let outcome = AuditOutcome(
      report: AuditReport(checks: checks), figures: figures, records: records)
    AuditPage(outcome).write { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("plain 123 äöü 日本 👩‍👩‍👧", "plain 123 äöü 日本 👩‍👩‍👧"),
    ("<b a=\"1\" c='2'>&amp;", "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;"),
    ("a\u{0}b\nc\u{7F}\u{85}", "a‹U+0000›b‹U+000A›c‹U+007F›‹U+0085›"),
    ("\u{202E}\u{2066}\u{200F}\u{2028}\u{FEFF}", "‹U+202E›‹U+2066›‹U+200F›‹U+2028›‹U+FEFF›"),
    ("\u{E0041}", "‹U+E0041›"),
  ])
  func escapesWhatOthersWrote(text: String, escaped: String) {
    #expect("\(text)" as HTML == HTML(stringLiteral: escaped))
  }

  @Test func cutsNamesOnly() {
    let long = String(repeating: "x", count: 1_000)
    let cut: HTML = "\(name: long)"
    #expect(String(decoding: cut.bytes, as: UTF8.self).hasSuffix("x… (1,000 characters)</bdi>"))
    #expect(Self.page([Self.check(1, [AuditReport.Finding(long)])]).contains(long))
  }

  @Test(arguments: [
    (1, 1, "day"), (62, 62, "day"), (63, 10, "week"), (800, 27, "month"), (3_000, 33, "quarter"),
    (20_000, 56, "year"), (300_000, 52, "16-year period"),
  ])
  func drawsNoMoreColumnsThanFit(days: Int32, columns: Int, noun: String) throws {
    let periods = PlotPeriods(covering: Self.start...Self.start.adding(days: days - 1))
    #expect(periods.count == columns)
    #expect(periods.noun == noun)
    #expect(periods.index(of: Self.start) == 0)
    #expect(periods.index(of: Self.start.adding(days: days - 1)) == columns - 1)
  }

  @Test func namesPeriodsByTheirFirstDay() throws {
    let first = try #require(Day("2023-12-31"))
    func name(_ days: Int32, _ index: Int) -> String {
      PlotPeriods(covering: first...first.adding(days: days)).name(of: index)
    }
    #expect(name(1, 1) == "2024-01-01")
    #expect(name(100, 0) == "2023-12-25")
    #expect(name(100, 1) == "2024-01-01")
    #expect(name(1_000, 0) == "2023-12")
    #expect(name(3_000, 1) == "2024-01")
  }

  @Test func losesNoSumWhenItPutsDaysAndMissionsTogether() {
    let days = (0..<800).map { offset in
      AuditFigures.DayFigures(
        day: Self.start.adding(days: offset),
        missions: Dictionary(
          uniqueKeysWithValues: (1...12).map { mission in
            (
              "m\(mission)",
              AuditFigures.Sum(
                grants: 1, Amounts { $0 == .points ? Int64(mission) : $0 == .exp ? 2 : 0 })
            )
          }))
    }
    let series = MissionSeries(days.shuffled())
    #expect(series.missions.map(\.name).prefix(2) == ["m12", "m11"])
    #expect(series.missions.map(\.isRest) == Array(repeating: false, count: 7) + [true])
    #expect(series.missions.map(\.total.amounts.points).reduce(0, +) == 800 * 78)
    let sums = series.missions.flatMap(\.periods)
    #expect(sums.map(\.grants).reduce(0, +) == 800 * 12)
    #expect(sums.map(\.amounts.exp).reduce(0, +) == 800 * 24)
  }

  @Test func groupsLongStreaks() {
    let groups = StreakSection.groups(of: [-1: 1, 0: 2, 3: 4, 8: 8, 9: 16, 13: 32])
    #expect(groups.map(\.name) == ["0", "1", "2", "3", "4", "5", "6", "7–9", "10–13"])
    #expect(groups.map(\.users) == [3, 0, 0, 4, 0, 0, 0, 24, 32])
  }

  @Test func linksToRecordsThatAreThere() {
    let page = Self.page(
      [
        Self.check(
          4, [AuditReport.Finding("a", seq: 7), AuditReport.Finding("b", seq: 7, key: "k")]),
        Self.check(5, [AuditReport.Finding("c", seq: 8)]),
      ], records: [7: "{\"x\":\"<y>\"}"])
    #expect(page.contains("<a href=\"#r7\">record 7</a>"))
    #expect(page.contains("<li>record 8</li>"))
    #expect(page.split(separator: "id=\"r7\"").count == 2)
    #expect(page.contains("<a href=\"#f4-1\">4.1</a> <a href=\"#f4-2\">4.2</a>"))
    #expect(page.contains("{&quot;x&quot;:&quot;&lt;y&gt;&quot;}"))
    #expect(page.contains("3 findings in 2 checks"))
  }

  @Test func countsWhatItDoesNotList() {
    let findings = (0..<30).map { AuditReport.Finding("finding \($0)") }
    let page = Self.page([Self.check(13, findings, limit: 20)])
    #expect(page.contains("<data class=\"listed\" value=\"20\">"))
    #expect(page.contains("Only the first 20 are listed; the others are counted."))
    #expect(page.contains("30 findings in 1 check"))
    #expect(page.split(separator: "<li id=\"f13-").count == 21)
  }

  @Test func saysInWordsWhatThereIsNot() {
    let page = Self.page([Self.check(1, [])])
    for words in [
      "Passed: 1 check, no findings", "The ledger holds no days yet.",
      "Nothing has been granted yet.", "No user has a streak yet.", "Nothing was unknown.",
      "There are no jobs.", "There are no sinks.", "No check found anything.",
      "<bdi>L&lt;1&gt;</bdi>",
    ] {
      #expect(page.contains(words))
    }
    #expect(!page.contains("<figure>"))
    #expect(Self.page([], Self.figures(days: 3)).contains("No exp in any day."))
    #expect(Self.page([AuditReport.Check(1, "x", leftOut: "no <it>")]).contains("no &lt;it&gt;"))
  }

  @Test func countsStreaksThatReachedALength() {
    let rows = SurvivalSection.survivors(ended: [1: 4, 3: 2, 8: 1], running: [0: 9, 3: 1, 12: 1])
    #expect(rows.map(\.length) == [1, 2, 3, 5, 7, 10])
    #expect(rows.map(\.count) == [9, 5, 5, 2, 2, 1])
    #expect(SurvivalSection.survivors(ended: [:], running: [0: 3]).isEmpty)
  }

  @Test(arguments: [(120, "agrees"), (121, "differs")])
  func saysWhetherTheSumsAgree(points: Int64, word: String) {
    var figures = Self.figures(days: 2)
    figures.elsewhere = [
      Self.start: AuditFigures.Sum(grants: 1, Amounts { $0 == .points ? 100 : 0 })
    ]
    figures.totals.amounts.points = points
    let page = Self.page([], figures)
    let row = page.firstMatch(of: /<th scope="row">Points<\/th>(?<cells>.*)<\/tr>/)
    #expect(row?.output.cells.contains(">\(word)<") == true)
    #expect(page.contains("120 at the end"))
  }

  @Test func showsHowLateThingsWere() {
    var figures = Self.figures()
    figures.seenAfter["603"] = .init()
    figures.seenAfter["603"]?.add(seconds: 61)
    figures.deliveredAfter["notify"] = .init()
    figures.deliveredAfter["notify"]?.add(seconds: 60)
    figures.deliveredAfter["notify"]?.add(seconds: 43_201)
    figures.deliveredAfter["journal"] = .init()
    let page = Self.page([], figures)
    #expect(page.contains("seen by 603"))
    #expect(page.contains("sent to notify"))
    #expect(!page.contains("sent to journal") && !page.contains("granted live</bdi>"))
    let last = page.firstMatch(of: /more than[^\n]*/)?.output ?? ""
    #expect(last.contains(">1<"))
  }

  @Test func showsEachZoneByItself() {
    var figures = Self.figures()
    for (zone, users) in [("Asia/Tokyo", 5), ("Europe/<b>", 2)] {
      var days = AuditFigures.UserDays()
      days.users = users
      days.counted = users - 1
      days.broken = 1
      figures.zones[zone] = [Self.start: days]
    }
    let page = Self.page([], figures)
    #expect(page.contains("<summary><bdi>Asia/Tokyo</bdi>, 5 user-days</summary>"))
    #expect(page.contains("Europe/&lt;b&gt;"))
    #expect(page.contains("7 in all"))
  }

  @Test func showsTheAuditBeforeBesideThisOne() {
    var figures = Self.figures(days: 1)
    figures.totals.amounts.points = 30
    var outcome = AuditOutcome(
      report: AuditReport(checks: [Self.check(5, [AuditReport.Finding("x")])]), figures: figures,
      records: [:])
    let first = PreviousAudit(of: outcome)
    figures.totals.amounts.points = 45
    outcome = AuditOutcome(report: outcome.report, figures: figures, records: [:])
    outcome.previous = first
    var bytes: [UInt8] = []
    AuditPage(outcome).write { bytes += $0 }
    let page = String(decoding: bytes, as: UTF8.self)
    #expect(page.contains("<dd class=\"change\">+15</dd>"))
    #expect(page.contains("<td class=\"number\">1, 1 found</td>"))
    #expect(!Self.page().contains("class=\"change\""))
  }

  @Test(arguments: [
    (5, "ann", "rewards backfill --user ann --from 2024-10-04 --to 2024-10-04 --plan plan.json"),
    (4, "ann", "rewards explain ann 2024-10-04"), (13, "ann", "rewards user ann"),
    (4, "a b; rm -rf", nil), (4, "-x", nil), (4, "", nil),
  ])
  func tellsWhatToDo(id: Int, user: String, command: String?) {
    let finding = AuditReport.Finding("x", user: user, day: Self.start)
    #expect(AuditRemedy.command(for: finding, ofCheck: id) == command)
    let page = Self.page([Self.check(id, [finding])])
    #expect(page.contains("What to do: "))
    #expect(page.contains("<p class=\"command\">") == (command != nil))
  }

  @Test func everyCheckHasARemedy() {
    #expect((1...15).allSatisfy { AuditRemedy.text(ofCheck: $0)?.isEmpty == false })
    let finding = AuditReport.Finding("x", key: "ann/2026-11-20/watch")
    #expect(AuditRemedy.command(for: finding, ofCheck: 4) == "rewards explain ann 2026-11-20")
    let level = AuditReport.Finding("x", key: "ann/level/3")
    #expect(AuditRemedy.command(for: level, ofCheck: 4) == nil)
  }

  @Test func survivesTheLargestNumbers() {
    var figures = Self.figures(days: 2)
    for index in figures.days.indices {
      figures.days[index].missions["login"]?.amounts.points = .max
      figures.days[index].missions["reversed"] = AuditFigures.Sum(
        Amounts { $0 == .points ? .min : 0 })
    }
    figures.streaks = [.max: 1, .min: 1]
    figures.sinks = [AuditFigures.Sink(name: "s", delivered: .max, waiting: .max)]
    var job = AuditFigures.Job(name: "j")
    job.worstLateSeconds = .min
    figures.jobs = [job]
    let page = Self.page([], figures)
    #expect(page.contains("9,223,372,036,854,775,807"))
    #expect(page.contains("\u{2212}9,223,372,036,854,775,808"))
  }
}
