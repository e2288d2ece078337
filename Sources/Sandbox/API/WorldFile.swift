internal import CivilTime
internal import Evidence
internal import StrictJSON

/// What users did, in JSON lines that a person writes: `{"user","kind","at","until"?}`. Empty lines and lines that begin with `//` are
/// skipped.
struct WorldFile {
  /// What is wrong with a line.
  struct Flaw: Error, Equatable {
    /// The line, from 1.
    let line: Int
    let what: String
  }

  /// A line's activity, and who did it.
  private let entries: [(user: String, activity: Activity)]

  /// Reads the lines; throws at the first that cannot be used.
  init(_ text: [UInt8]) throws(Flaw) {
    var entries: [(user: String, activity: Activity)] = []
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let rest = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      if rest.isEmpty || rest.starts(with: Array("//".utf8)) { continue }
      let reader = DocumentReader(Array(line), allowingComments: false)
      let entry = reader.rootSection().flatMap { Self.entry($0) }
      guard let entry, reader.problems.isEmpty else {
        let problem = reader.problems.first
        let path = problem.flatMap { $0.path.isEmpty ? nil : "\"\($0.path)\": " } ?? ""
        throw Flaw(line: index + 1, what: path + (problem?.what ?? "no activity"))
      }
      entries.append(entry)
    }
    self.entries = entries
  }

  /// Returns what a user did of one kind, in order.
  func activities(of user: String, _ kind: ActivityKind) -> [Activity] {
    entries.filter { $0.user == user && $0.activity.kind == kind }.map(\.activity)
      .sorted { $0.from < $1.from }
  }

  private static func entry(_ section: DocumentSection) -> (user: String, activity: Activity)? {
    let user = section.node("user").flatMap { $0.string ?? $0.int.map { String($0) } }
    if user == nil { section.noteMissing("user", example: "\"ben\"") }
    let kind = kind(section)
    let from = instant("at", section)
    if !section.has("at") { section.noteMissing("at", example: "\"2026-03-02T19:00:00Z\"") }
    let to = instant("until", section)
    if let node = section.node("until"), let kind, let from {
      if !kind.lasts { section.note("until", node, "a \(kind.name) has no end") }
      if let to, to < from { section.note("until", node, "comes before \"at\"") }
    }
    section.finish()
    guard let user, let kind, let from else { return nil }
    return (
      user,
      Activity(kind: kind, from: from, to: to ?? from, isOpen: kind.lasts && to == nil)
    )
  }

  private static func kind(_ section: DocumentSection) -> ActivityKind? {
    let kinds = ServedRoute.allCases.compactMap(\.kind)
    guard let name = section.string("kind") else {
      if !section.has("kind") { section.noteMissing("kind", example: "\"\(kinds[0].name)\"") }
      return nil
    }
    let kind = kinds.first { $0.name == name }
    if kind == nil, let node = section.node("kind") {
      let names = kinds.map(\.name).joined(separator: ", ")
      let isOther = ActivityKind(name: name) != nil
      section.note(
        "kind", node,
        isOther
          ? "no route shows a \(name): hand it in with rewards ingest" : "expected one of \(names)")
    }
    return kind
  }

  private static func instant(_ name: String, _ section: DocumentSection) -> Instant? {
    guard let text = section.string(name) else { return nil }
    do throws(InstantTextError) { return try InstantText.parse(text).instant } catch {
      if let node = section.node(name) { section.note(name, node, "\(error)") }
      return nil
    }
  }
}
