internal import CivilTime
internal import Digests
internal import StrictJSON

/// A parser of one rules document, section by section, which collects every mistake.
struct RulesParser {
  let reader: DocumentReader
  let defaults: RulesDocument?
  var rewards: RewardParser

  private init(_ reader: DocumentReader, defaults: RulesDocument?) {
    self.reader = reader
    self.defaults = defaults
    rewards = RewardParser(reader)
  }

  /// Parses `text`. A missing section is taken from `defaults`, or is a mistake if there are none.
  static func parse(
    _ text: [UInt8], defaults: RulesDocument?
  ) -> Result<RulesDocument, RulesProblems> {
    guard text.count <= RulesDocument.maximumBytes else {
      let what =
        "has \(text.count) bytes; the limit is \(RulesDocument.maximumBytes) (48 KiB)"
      return .failure(
        RulesProblems(problems: [DocumentProblem(path: "", line: 1, column: 1, what: what)]))
    }
    let reader = DocumentReader(text, allowingComments: true)
    var parser = RulesParser(reader, defaults: defaults)
    let document = parser.document(text)
    guard let document, reader.problems.isEmpty else {
      return .failure(RulesProblems(problems: reader.problems))
    }
    return .success(document)
  }

  private mutating func document(_ text: [UInt8]) -> RulesDocument? {
    guard let node = reader.root, let root = reader.rootSection() else { return nil }
    let identity = identity(root, node: node, text: text)
    let missions = missions(root)
    let activity = activity(root)
    let streak = StreakParser(defaults: defaults?.streak).parse(
      section("streak", of: root), &rewards)
    let levels = LevelParser(defaults: defaults?.levels).parse(
      section("levels", of: root), &rewards)
    let booster = section("booster", of: root)
    let multiplier = int(
      "multiplier", of: booster, in: 1...1_000, default: defaults?.boosterMultiplier)
    booster?.finish()
    let catalogue = catalogue(root)
    let fallback = fallback(root)
    let limits = limits(root)
    root.finish()
    if let catalogue { rewards.check(against: catalogue, at: root.offset) }
    guard let identity, let missions, let activity, let streak, let levels, let multiplier,
      let catalogue, let fallback, let limits
    else { return nil }
    let sections = RulesSections(
      missions: missions, activity: activity, streak: streak, levels: levels,
      boosterMultiplier: multiplier, catalogue: catalogue, fallback: fallback, limits: limits)
    return RulesDocument(identity, sections, defaults: defaults?.version)
  }

  private func identity(
    _ root: DocumentSection, node: JSONNode, text: [UInt8]
  ) -> RulesIdentity? {
    let version = name("version", of: root)
    if !root.has("version") { root.noteMissing("version", example: "\"2027-01\"") }
    let corrects = name("corrects", of: root)
    if let corrects, corrects == version, let node = root.node("corrects") {
      root.note("corrects", node, "a document cannot correct itself: give it its own version")
    }
    let from = effectiveFrom(root)
    guard let version, let from else { return nil }
    var writer = JSONWriter()
    writer.node(node)
    return RulesIdentity(
      version: version, effectiveFrom: from.day, effectiveFromPlace: from.place, corrects: corrects,
      sha256: SHA256.digest(of: text), canonicalText: writer.text)
  }

  private func effectiveFrom(_ root: DocumentSection) -> (
    day: Day, place: (line: Int, column: Int)
  )? {
    guard let node = root.node("effectiveFrom") else {
      root.noteMissing("effectiveFrom", example: "\"2027-01-01\"")
      return nil
    }
    guard let text = node.string, let day = Day(text) else {
      root.note("effectiveFrom", node, "expected a date, \"YYYY-MM-DD\"")
      return nil
    }
    return (day, (reader.line(of: node.offset), reader.column(of: node.offset)))
  }

  /// Returns the section `key`. If it is missing and has no default, notes that.
  func section(_ key: String, of root: DocumentSection) -> DocumentSection? {
    let section = root.section(key)
    if section == nil, !root.has(key), defaults == nil { root.noteMissing(key) }
    return section
  }

  /// Returns the whole number under `key`, or `fallback` if it is missing; nil if it notes a mistake.
  func int(
    _ key: String, of section: DocumentSection?, in range: ClosedRange<Int64>, default: Int64?
  ) -> Int64? {
    guard let section, section.node(key) != nil else {
      if `default` == nil { section?.noteMissing(key) }
      return `default`
    }
    return section.int(key, in: range)
  }

  private func name(_ key: String, of section: DocumentSection) -> String? {
    guard let text = section.string(key), let node = section.node(key) else { return nil }
    guard RulesName.isValid(text) else {
      section.note(key, node, "expected \(RulesName.description)")
      return nil
    }
    return text
  }
}

/// The names allowed for versions, categories and items, which become part of keys and of messages under a code.
enum RulesName {
  /// The most UTF-8 bytes in a name.
  static let maximumBytes = 64

  /// The rule in words.
  static let description =
    "a text of 1 to \(maximumBytes) bytes without \"/\" or control characters"

  /// Returns whether `text` is an allowed name.
  static func isValid(_ text: String) -> Bool {
    (1...maximumBytes).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { scalar in
        scalar != "/" && scalar.properties.generalCategory != .control
      }
  }
}
