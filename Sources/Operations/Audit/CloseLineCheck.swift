import CivilTime
import Evidence
import Ledger
import Scheduling

/// Checks what closes state beside their sums: the date by the zone's rules, the sources, and the seal before them.
///
/// Its findings belong to ``DerivedLineCheck``.
struct CloseLineCheck: Sendable {
  /// A close, and what is wrong with it.
  typealias Flaw = (close: Record, problem: String)

  private var others: [Flaw] = []
  /// Dates that the database in use puts elsewhere.
  private var dates: [Flaw] = []
  private let zones: any ZoneSource
  private var seal: LedgerHead?
  private var tellsSources = false

  init(zones: any ZoneSource) { self.zones = zones }

  var flaws: [Flaw] { (others + dates).sorted { $0.close.seq < $1.close.seq } }

  mutating func add(_ record: Record) {
    switch record.body {
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
