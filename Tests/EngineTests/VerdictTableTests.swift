import CivilTime
import Evidence
import RewardRules
import TestSupport
import Testing

/// Each row of the verdict table. The day is [0, 86400); the lag is 10 s.
@Suite(.offThePool) struct VerdictTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: ActivityKind
    let looks: [Look]
    var policy = ActivityPolicy()
    var leastMinutes: Int64?
    let verdict: Verdict
    var effective: Int64?
    var gaps: [String] = []
    var testDescription: String { name }
  }

  private static let day = DayWindow(day: Day(number: 0), start: at(0), end: at(86_400))

  private static func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }
  private static func saw(
    _ kind: ActivityKind, _ at: Int64, _ activities: (Int64, Int64?)...
  ) -> Look {
    let reported = activities.map {
      Activity.told(kind, from: Self.at($0.0), to: $0.1.map(Self.at))
    }
    return Look(route: kind.source, at: Self.at(at), outcome: .answered(reported, refused: []))
  }
  private static func failed(
    _ kind: ActivityKind, _ at: Int64, _ cause: FailureCause
  ) -> Look {
    Look(route: kind.source, at: Self.at(at), outcome: .failed(cause))
  }

  static let rows: [Row] = [
    Row(
      name: "a stream within the day", kind: .stream, looks: [saw(.stream, 5_000, (1_000, 2_000))],
      verdict: .met, effective: 1_000),
    Row(
      name: "a stream over the midnight before", kind: .stream,
      looks: [saw(.stream, 5_000, (-500, 700))],
      verdict: .met, effective: 0),
    Row(
      name: "a stream that ended at midnight sharp does not touch", kind: .stream,
      looks: [saw(.stream, 86_410, (-500, 0))], verdict: .notMet),
    Row(
      name: "a gift at midnight sharp touches", kind: .gift, looks: [saw(.gift, 86_410, (0, 0))],
      verdict: .met, effective: 0),
    Row(
      name: "a gift at the next midnight does not, and hides what was before it", kind: .gift,
      looks: [saw(.gift, 86_450, (86_400, 86_400))], verdict: .unknown, gaps: ["0-86400 not looked"]
    ),
    Row(
      name: "over midnight under starts", kind: .stream, looks: [saw(.stream, 86_410, (-500, 700))],
      policy: ActivityPolicy(counts: .starts), verdict: .notMet),
    Row(
      name: "nothing yet, looked after the end and the lag", kind: .stream,
      looks: [saw(.stream, 86_410)],
      verdict: .notMet),
    Row(
      name: "looked one second too early for the lag", kind: .stream, looks: [saw(.stream, 86_409)],
      verdict: .unknown, gaps: ["86399-86400 not looked"]),
    Row(
      name: "an old stream and a look after the end", kind: .stream,
      looks: [saw(.stream, 86_410, (-9_000, -8_000))], verdict: .notMet),
    Row(
      name: "only a newer stream was seen", kind: .stream,
      looks: [saw(.stream, 40_000, (-9_000, -8_000)), saw(.stream, 90_000, (87_000, 88_000))],
      verdict: .unknown, gaps: ["39990-86400 not looked"]),
    Row(
      name: "the gap between two looks within the tolerance", kind: .gift,
      looks: [saw(.gift, 86_390, (-9_000, -9_000)), saw(.gift, 90_000, (87_000, 87_000))],
      policy: ActivityPolicy(toleratedGapSeconds: 20), verdict: .notMet),
    Row(
      name: "the same gap one second over the tolerance", kind: .gift,
      looks: [saw(.gift, 86_389, (-9_000, -9_000)), saw(.gift, 90_000, (87_000, 87_000))],
      policy: ActivityPolicy(toleratedGapSeconds: 20), verdict: .unknown,
      gaps: ["86379-86400 not looked"]),
    Row(
      name: "live, seen within the day", kind: .stream, looks: [saw(.stream, 600, (300, nil))],
      verdict: .met, effective: 300),
    Row(
      name: "live since yesterday, known into the day", kind: .stream,
      looks: [saw(.stream, 600, (-3_600, nil))], verdict: .met, effective: 0),
    Row(
      name: "live since yesterday, but the answer may be older than midnight", kind: .stream,
      looks: [saw(.stream, 9, (-3_600, nil))], verdict: .unknown, gaps: ["0-86400 not looked"]),
    Row(
      name: "live for longer than believed", kind: .stream,
      looks: [saw(.stream, 600, (-43_300, nil))], verdict: .unknown, gaps: ["0-86400 no end"]),
    Row(
      name: "a list that is whole", kind: .watch, looks: [saw(.watch, 86_410, (-900, -800))],
      verdict: .notMet),
    Row(
      name: "a list whose newest lies after the day", kind: .watch,
      looks: [saw(.watch, 90_000, (-900, -800), (87_000, 88_000))], verdict: .notMet),
    Row(
      name: "a list with an entry without an end for too long", kind: .watch,
      looks: [saw(.watch, 90_000, (-42_200, nil))], verdict: .met, effective: 0),
    Row(
      name: "that entry says nothing of the time after", kind: .watch,
      looks: [saw(.watch, 90_000, (-50_000, nil))], verdict: .unknown, gaps: ["0-86400 not looked"]),
    Row(
      name: "a failed look proves nothing and names the gap", kind: .stream,
      looks: [
        saw(.stream, 50_000), failed(.stream, 86_300, .timedOut),
        saw(.stream, 90_000, (87_000, nil)),
      ],
      verdict: .unknown, gaps: ["49990-86400 timeout"]),
    Row(
      name: "an older value than before proves nothing", kind: .gift,
      looks: [saw(.gift, 50_000, (-100, -100)), saw(.gift, 86_500, (-200, -200))],
      verdict: .unknown, gaps: ["49990-86400 not looked"]),
    Row(
      name: "nothing where there was something proves nothing", kind: .gift,
      looks: [saw(.gift, 50_000, (-100, -100)), saw(.gift, 86_500)],
      verdict: .unknown, gaps: ["49990-86400 not looked"]),
    Row(
      name: "an end before the start is bad evidence", kind: .stream,
      looks: [saw(.stream, 86_500, (900, 800))], verdict: .unknown, gaps: ["0-86400 not looked"]),
    Row(
      name: "more than five minutes ahead is bad evidence", kind: .gift,
      looks: [saw(.gift, 60_000, (60_301, 60_301))], verdict: .unknown, gaps: ["0-86400 bad answer"]
    ),
    Row(
      name: "five minutes ahead is not", kind: .gift, looks: [saw(.gift, 60_000, (60_300, 60_300))],
      verdict: .met, effective: 60_300),
    Row(
      name: "long enough: met when the last wanted minute is over", kind: .stream,
      looks: [saw(.stream, 5_000, (1_000, 4_000))], leastMinutes: 30,
      verdict: .met, effective: 2_800),
    Row(
      name: "long enough to the second", kind: .stream,
      looks: [saw(.stream, 5_000, (1_000, 2_800))],
      leastMinutes: 30, verdict: .met, effective: 2_800),
    Row(
      name: "a second too short, and all was seen", kind: .stream,
      looks: [saw(.stream, 86_410, (1_000, 2_799))], leastMinutes: 30, verdict: .unknown,
      gaps: ["0-1000 not looked"]),
    Row(
      name: "a second too short, and the time before was seen too", kind: .stream,
      looks: [saw(.stream, 1_100), saw(.stream, 86_410, (1_000, 2_799))], leastMinutes: 30,
      verdict: .notMet),
    Row(
      name: "the sum of the day", kind: .watch,
      looks: [saw(.watch, 86_410, (1_000, 1_600), (2_000, 2_600), (9_000, 9_700))],
      leastMinutes: 30, verdict: .met, effective: 9_600),
    Row(
      name: "what overlaps counts once", kind: .watch,
      looks: [saw(.watch, 86_410, (1_000, 2_000), (1_500, 2_500), (1_600, 1_700))],
      leastMinutes: 30, verdict: .notMet),
    Row(
      name: "only the part within the day", kind: .watch,
      looks: [saw(.watch, 86_410, (-5_000, 1_799))], leastMinutes: 30, verdict: .notMet),
    Row(
      name: "from the start of the day", kind: .watch,
      looks: [saw(.watch, 86_410, (-5_000, 1_800))], leastMinutes: 30,
      verdict: .met, effective: 1_800),
    Row(
      name: "under starts another day's time is none of this one's", kind: .watch,
      looks: [saw(.watch, 86_410, (-5_000, 1_800))], policy: ActivityPolicy(counts: .starts),
      leastMinutes: 30, verdict: .notMet),
    Row(
      name: "live: known to have lasted until the look less the lag", kind: .stream,
      looks: [saw(.stream, 2_810, (1_000, nil))], leastMinutes: 30,
      verdict: .met, effective: 2_800),
    Row(
      name: "live, and not seen again", kind: .stream, looks: [saw(.stream, 2_809, (1_000, nil))],
      leastMinutes: 30, verdict: .unknown, gaps: ["0-1000 not looked", "2799-86400 not looked"]),
    Row(
      name: "live, and another one later: how long the first went on is unknown", kind: .stream,
      looks: [
        saw(.stream, 600), saw(.stream, 2_000, (1_000, nil)), saw(.stream, 86_410, (9_000, 9_100)),
      ],
      leastMinutes: 30, verdict: .unknown, gaps: ["590-1000 not looked", "1990-9000 not looked"]),
    Row(
      name: "seen growing until it is long enough", kind: .stream,
      looks: [
        saw(.stream, 1_300, (1_000, nil)), saw(.stream, 1_900, (1_000, nil)),
        saw(.stream, 2_500, (1_000, nil)), saw(.stream, 3_100, (1_000, nil)),
      ],
      leastMinutes: 30, verdict: .met, effective: 2_800),
  ]

  @Test(arguments: rows) func verdict(row: Row) throws {
    var days = try KnownDays([Self.day], policy: row.policy, leastMinutes: row.leastMinutes)
    for look in row.looks { days.observe(look) }
    let facts = try #require(days.facts().first)
    #expect(facts.verdict(row.kind) == row.verdict)
    #expect(facts.accomplishment(of: row.kind)?.effective.seconds == row.effective)
    let gaps = facts.gaps.filter { $0.kind == row.kind }
    #expect(gaps.map { "\($0.from.seconds)-\($0.to.seconds) \($0.cause)" } == row.gaps)
  }

  @Test func inboxProvesUpToItsReading() throws {
    func verdict(_ through: Int64) throws -> Verdict? {
      var days = try KnownDays([Self.day], inboxThrough: Self.at(through))
      return days.facts().first?.verdict(.login)
    }
    #expect(try verdict(86_399) == .unknown)
    #expect(try verdict(86_400) == .notMet)
  }
}
