import CivilTime
import Evidence
import Ledger
import Scheduling

/// Checks what lines state by the rules of a zone: closes their date, and users their first day. Of closes it checks the sources and the seal
/// before them, too.
///
/// Its findings belong to ``DerivedLineCheck``.
struct ZoneLineCheck: Sendable {
  /// A line, and what is wrong with it.
  typealias Flaw = (line: Record, problem: String)

  private var others: [Flaw] = []
  /// Dates that the database in use puts elsewhere.
  private var dates: [Flaw] = []
  private let zones: any ZoneSource
  private var seal: LedgerHead?
  private var tellsSources = false
  private var tellsFirstDays = false

  init(zones: any ZoneSource) { self.zones = zones }

  var flaws: [Flaw] { (others + dates).sorted { $0.line.seq < $1.line.seq } }

  /// Examines a record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .user(let user):
      let isNew = state.index(of: user.user) == nil
      if let problem = problem(ofStart: user, isNew: isNew) { dates.append((record, problem)) }
      if user.since == nil {
        // A close states the beginning of the next day, which may be that after a return.
        if user.takesEffect == nil, user.from > record.at.adding(seconds: 1) {
          others.append((record, "it holds from \(user.from), which has not come"))
        }
        if isNew, tellsFirstDays {
          others.append((record, "a new user without a first day, which those before have"))
        }
      }
      tellsFirstDays = tellsFirstDays || isNew && user.since != nil
    case .seal(let seal): self.seal = LedgerHead(seq: record.seq, hash: seal.hash)
    // Nothing tells what the files of the same version said before they were replaced.
    case .run(let run) where run.job == TimeZoneUse.job: dates = []
    case .close(let close):
      if let seal, close.head != seal {
        others.append((record, "the head that the close states is not the seal before it"))
      }
      if let problem = problem(ofSources: close.sources) { others.append((record, problem)) }
      tellsSources = tellsSources || close.sources != nil
      if let problem = problem(ofDate: close) { dates.append((record, problem)) }
    default: break
    }
  }

  private func problem(ofSources sources: [Source]?) -> String? {
    guard let sources else {
      return tellsSources ? "the close states no sources, which those before it do" : nil
    }
    return sources == Source.allCases.filter(sources.contains)
      ? nil : "the close names a source twice, or out of order"
  }

  /// How far a newer time zone database may move the beginning of a day, in seconds.
  private static let movedSeconds: Int64 = 3 * 3_600

  private func problem(ofStart user: UserRecord, isNew: Bool) -> String? {
    guard let since = user.since, let zone = try? zones.zone(named: user.zone) else { return nil }
    guard let date = zone.window(of: since) else { return "\(user.zone) has no \(since)" }
    // Who comes back may have left on the same day.
    let last = isNew ? date.start : date.end
    let mayBegin =
      date.start.adding(seconds: -Self.movedSeconds)...last.adding(seconds: Self.movedSeconds)
    return mayBegin.contains(user.from)
      ? nil : "it holds from \(user.from), but \(since) begins at \(date.start)"
  }

  private func problem(ofDate close: CloseRecord) -> String? {
    guard close.tzdata == zones.version, let zone = try? zones.zone(named: close.zone) else {
      return nil
    }
    let (stated, day) = (close.date, close.window.day)
    guard let date = zone.window(of: day) else { return "\(close.zone) has no \(day)" }
    return stated == date
      ? nil
      : "the close states \(day) from \(stated.start) to \(stated.end), but it lasts from \(date.start) to \(date.end)"
  }
}
