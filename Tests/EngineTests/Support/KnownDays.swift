import CivilTime
import Engine
import Evidence
import Ledger
import RewardRules

/// What is known of consecutive days of one user after some polls, found the way a service finds it.
struct KnownDays {
  private var open: OpenDays

  /// Days whose windows follow each other; `policy` lays activities against them. Streams and watches must last
  /// `leastMinutes`, if that is given.
  init(
    _ windows: [DayWindow], policy: ActivityPolicy = ActivityPolicy(),
    inboxThrough: Instant = .earliest, leastMinutes: Int64? = nil
  ) throws {
    var state = LedgerState()
    state.apply(
      Record(seq: 1, at: windows[0].start, body: .rules(try Self.rules(policy, leastMinutes))))
    let account = Account(
      id: "a", zone: 0, boundary: windows[0].start, boundaryDay: windows[0].day.adding(days: -1))
    open = OpenDays(
      Timeline(
        account: account,
        openWindows: windows.map { UserWindow(window: $0, zone: "UTC", isShortened: false) },
        inboxThrough: inboxThrough, excuses: [], rules: state.rules,
        terms: EngineTerms(draws: DrawSecret([1]), lagSeconds: 10, watched: .all)),
      cause: "live")
  }

  /// Applies a poll.
  mutating func observe(_ look: Look) { open.observe(look) }

  /// The facts of each day, once all of them are over.
  mutating func facts() -> [DayFacts] {
    open.evaluate(closingThrough: .latest)
    return open.days.map(\.facts)
  }

  private static func rules(
    _ policy: ActivityPolicy, _ leastMinutes: Int64?
  ) throws -> RulesRecord {
    let counts = policy.counts == .starts ? "starts" : "overlaps"
    let least = leastMinutes.map { #""minMinutes": \#($0), "# } ?? ""
    let text = RulesDocument.builtInText
      .replacing(#""effectiveFrom": "2000-01-01""#, with: #""effectiveFrom": "1960-01-01""#)
      .replacing(#""stream": {"#, with: #""stream": {\#(least)"#)
      .replacing(#""watch": {"#, with: #""watch": {\#(least)"#)
      .replacing(#""counts": "overlaps""#, with: #""counts": "\#(counts)""#)
      .replacing(
        #""toleratedGapSeconds": 0"#,
        with: #""toleratedGapSeconds": \#(policy.toleratedGapSeconds)"#
      )
      .replacing(#""openEndHours": 12"#, with: #""openEndHours": \#(policy.openEndHours)"#)
    let document = try RulesDocument.parse(Array(text.utf8)).get()
    return RulesRecord(
      version: document.version, effectiveFrom: document.effectiveFrom, sha256: document.sha256,
      drawKey: "", document: document.canonicalText)
  }
}
