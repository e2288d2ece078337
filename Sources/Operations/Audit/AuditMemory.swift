import AuditReport
import CivilTime
import Files
import LedgerStore
import StrictJSON

/// The figures of the last audit that made a page, in `state/audit/previous.json`: a cache for the next one's comparison.
struct AuditMemory {
  private let directory: DataDirectory
  private var path: String { "\(directory.audit)/previous.json" }

  init(_ data: String) { directory = DataDirectory(data) }

  /// What stood there; `outcome` takes its place, where this process may write. A file that cannot be read or written makes the
  /// audit no worse: there is nothing to compare with.
  func exchange(_ outcome: AuditOutcome) -> PreviousAudit? {
    let fileSystem = WorkingFiles.system
    let before = (try? fileSystem.readWhole(path)).flatMap(Self.read)
    guard DataDirectory.isOwned(directory.state) else { return before }
    _ = try? fileSystem.makeFolder(directory.audit)
    try? fileSystem.replace(path, with: [Self.bytes(PreviousAudit(of: outcome))])
    return before
  }

  private static func bytes(_ audit: PreviousAudit) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("madeAt", audit.madeAt.description)
    json.objects("checks", audit.checks.sorted { $0.key < $1.key }) { json, check in
      json.member("id", check.key)
      json.member("examined", check.value.examined)
      json.member("found", check.value.found)
    }
    json.object("totals") { json in
      for (name, value) in audit.totals.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
    }
    json.endObject()
    json.endLine()
    return json.bytes
  }

  private static func read(_ bytes: [UInt8]) -> PreviousAudit? {
    guard let node = try? JSONNode.parse(bytes), let at = node["madeAt"]?.string,
      let madeAt = try? InstantText.parse(at).instant
    else { return nil }
    var audit = PreviousAudit(madeAt: madeAt, checks: [:], totals: [:])
    for check in node["checks"]?.elements ?? [] {
      guard let id = check["id"]?.int, let examined = check["examined"]?.int,
        let found = check["found"]?.int
      else { continue }
      audit.checks[Int(id)] = .init(examined: Int(examined), found: Int(found))
    }
    for member in node["totals"]?.members ?? [] { audit.totals[member.key] = member.value.int }
    return audit
  }
}

extension AuditFigures {
  /// Takes over how things went.
  mutating func take(_ course: CourseCount, _ common: CommonCount) {
    openings = course.openings
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
