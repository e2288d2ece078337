package import AuditPage
import CivilTime
package import Described
import Foundations
import LedgerStore

/// The figures of the last audit that made a page, in `state/audit/previous.json`: a cache for comparing the next one.
struct AuditMemory {
  private let directory: DataDirectory
  private var path: String { "\(directory.audit)/previous.json" }

  init(_ directory: DataDirectory) { self.directory = directory }

  /// Returns the stored figures and replaces them with `outcome`, where this process may write.
  ///
  /// A file that cannot be read or written does not fail the audit; there is just nothing to compare with.
  func exchange(_ outcome: AuditOutcome) -> PreviousAudit? {
    let fileSystem = directory.files
    let before = try? PreviousAudit(json: fileSystem.readWhole(path))
    guard fileSystem.isOwned(directory.state) else { return before }
    _ = try? fileSystem.makeFolder(directory.audit)
    try? fileSystem.replace(path, with: [PreviousAudit(of: outcome).jsonLine])
    return before
  }

  private var driftPath: String { "\(directory.audit)/stores.jsonl" }

  /// Adds figures of the app's stores to those of earlier audits, where this process may write, and returns all, oldest first.
  func add(_ drift: [AuditFigures.StoreDrift]) -> [AuditFigures.StoreDrift] {
    let fileSystem = directory.files
    let lines = ((try? fileSystem.readWholeIfPresent(driftPath)) ?? []).split(separator: 0x0A)
    let known = lines.compactMap { try? AuditFigures.StoreDrift(json: Array($0)) } + drift
    let kept = Array(known.suffix(Self.driftLimit))
    if !drift.isEmpty, fileSystem.isOwned(directory.state) {
      _ = try? fileSystem.makeFolder(directory.audit)
      try? fileSystem.replace(driftPath, with: kept.map { Array($0.jsonLine) })
    }
    return kept
  }

  /// How many figures of stores are kept: a year of nights, and more.
  private static let driftLimit = 400
}

extension AuditFigures.StoreDrift: DescribedObject {
  /// Reads or writes the fields, in their order in the file.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      sink: try coder.field("sink", value?.pointee.sink),
      at: try coder.field("at", value?.pointee.at),
      users: try coder.field("users", value?.pointee.users),
      states: try coder.field("states", value?.pointee.states),
      counts: try coder.field("counts", value?.pointee.counts),
      points: try coder.field("points", value?.pointee.points))
  }
}

extension PreviousAudit: DescribedObject {
  /// Reads or writes the fields, in their order in the file.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    let madeAt = try coder.field("madeAt", value?.pointee.madeAt)
    let checks = try coder.field("checks", (value?.pointee.checks).map(NumberedCheck.sorted))
    self.init(
      madeAt: madeAt, checks: Dictionary(checks.map { ($0.id, $0.check) }) { $1 },
      totals: try coder.field("totals", value?.pointee.totals))
  }
}

private struct NumberedCheck {
  let id: Int
  let check: PreviousAudit.Check

  static func sorted(_ checks: [Int: PreviousAudit.Check]) -> [NumberedCheck] {
    checks.sorted { $0.key < $1.key }.map { NumberedCheck(id: $0.key, check: $0.value) }
  }
}

extension NumberedCheck: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    id = try coder.field("id", value?.pointee.id)
    check = PreviousAudit.Check(
      examined: try coder.field("examined", value?.pointee.check.examined),
      found: try coder.field("found", value?.pointee.check.found))
  }
}

extension AuditFigures {
  /// Takes over the counts of `course` and `common`.
  mutating func adopt(_ course: CourseCount, _ common: CommonCount) {
    elsewhere = course.elsewhere
    zones = common.zones
    unknownDays = course.unknownDays
    endedStreaks = course.endedStreaks
    acts = course.acts
    acts += common.acts
    refusals = course.refusals
    seenAfter = course.seenAfter
    grantedAfter = course.grantedAfter
  }
}
