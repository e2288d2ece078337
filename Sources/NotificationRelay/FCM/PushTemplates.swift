internal import CivilTime
internal import RewardRules
internal import StrictJSON

/// The texts of pushes, for each event type and in several languages. Checked on loading.
package struct PushTemplates: Sendable {
  /// A title and a body with placeholders filled in.
  package struct Text: Sendable, Equatable {
    /// The title.
    package let title: String
    /// The body.
    package let body: String
    /// The key by which the app finds the body in the language of the device; nil to show ``body``.
    package var locKey: String?
    /// What the app inserts into that text.
    package var locArgs: [String] = []
  }

  /// A mistake in a templates file.
  package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line.
    package let line: Int
    /// The path of the offending value.
    package let path: String
    /// What is wrong and what is expected.
    package let what: String
    /// The whole problem on one line.
    package var description: String { "line \(line): \(path): \(what)" }
  }

  private struct Template: Sendable {
    let title: String
    let body: String
    var locKey: String?
    var locArgs: [String] = []
  }

  /// The allowed placeholders by type: the event's fields that make sense to a person.
  static let placeholders: [EventType: [String]] = [
    .rewardGranted: ["day", "mission", "reward", "items", "boosterDays"] + units,
    .rewardReversed: ["reward", "items"] + units + ["reason"],
    .streakExtended: ["day", "length", "cycleDay"],
    .streakBroken: ["day", "lengthBefore"],
    .streakHeld: ["day", "length"],
    .streakRepaired: ["day", "length", "lengthBefore", "cycleDay"],
    .streakAtRisk: ["day", "length", "cycleDay", "hours"],
    .levelReached: ["level"],
    .backfillSummary: ["reward", "items", "boosterUntil"] + units + ["plan"],
  ]

  private static let units = RewardUnit.allCases.map(\.rawValue)

  private let fallback: String
  private let templates: [EventType: [String: Template]]

  /// The default texts, for streaks at risk and levels, in English and Japanese.
  package static var builtIn: PushTemplates {
    PushTemplates(
      fallback: "en",
      templates: [
        .streakAtRisk: [
          "en": Template(
            title: "Keep your {length}-day streak",
            body: "Do something today: {hours} hours left."),
          "ja": Template(
            title: "{length}日連続が途切れそうです", body: "今日はまだ記録がありません。あと{hours}時間です。"),
        ],
        .levelReached: [
          "en": Template(title: "Level {level}", body: "You have reached level {level}."),
          "ja": Template(title: "レベル{level}", body: "レベル{level}になりました。"),
        ],
      ])
  }

  /// Parses templates: `{"fallback": "en", "texts": {TYPE: {LANGUAGE: {"title", "body", "loc-key"?, "loc-args"?}}}}`, with comments
  /// allowed; returns them or all mistakes.
  package static func parse(_ text: [UInt8]) -> Result<PushTemplates, Problems> {
    let reader = DocumentReader(text, allowingComments: true)
    var templates: [EventType: [String: Template]] = [:]
    var fallback = ""
    if let root = reader.rootSection() {
      fallback = root.string("fallback") ?? ""
      if fallback.isEmpty { root.noteMissing("fallback") }
      if let texts = root.section("texts") {
        for member in texts.members {
          guard let section = texts.section(member.key) else { continue }
          let languages = languages(of: member.key, section, fallback)
          if let type = EventType(rawValue: member.key) { templates[type] = languages }
        }
        texts.finish()
      } else {
        root.noteMissing("texts")
      }
      root.finish()
    }
    let problems = reader.problems.map { Problem(line: $0.line, path: $0.path, what: $0.what) }
    return problems.isEmpty
      ? .success(PushTemplates(fallback: fallback, templates: templates))
      : .failure(Problems(problems: problems))
  }

  /// All mistakes of a templates file, in file order.
  package struct Problems: Error, Sendable, Equatable {
    /// The mistakes; at least one.
    package let problems: [Problem]
  }

  private static func languages(
    of type: String, _ section: DocumentSection, _ fallback: String
  ) -> [String: Template] {
    var found: [String: Template] = [:]
    let known = EventType(rawValue: type).flatMap { placeholders[$0] }
    for member in section.members {
      guard let text = section.section(member.key) else { continue }
      if known == nil {
        let hint = NearestName.hint(for: type, among: placeholders.keys.map(\.rawValue).sorted())
        section.note(member.key, member.value, "not a type of event that is pushed\(hint)")
      }
      var template = Template(title: text.string("title") ?? "", body: text.string("body") ?? "")
      for (name, value) in [("title", template.title), ("body", template.body)] {
        if value.isEmpty { text.noteMissing(name) }
        check(value, under: name, of: text, known)
      }
      template.locKey = text.string("loc-key")
      if template.locKey == "" { text.noteMissing("loc-key") }
      template.locArgs = text.strings("loc-args") ?? []
      for value in template.locArgs { check(value, under: "loc-args", of: text, known) }
      if template.locKey == nil, text.has("loc-args") { text.noteMissing("loc-key") }
      text.finish()
      found[member.key] = template
    }
    if found[fallback] == nil, !fallback.isEmpty { section.noteMissing(fallback) }
    section.finish()
    return found
  }

  /// Notes every placeholder in `text` that is not one of `known`.
  private static func check(
    _ text: String, under name: String, of section: DocumentSection, _ known: [String]?
  ) {
    guard let known, let node = section.node(name) else { return }
    for word in words(of: text) where !known.contains(word) {
      section.note(
        name, node, "{\(word)} is not one of {\(known.joined(separator: "}, {"))}")
    }
  }

  /// Returns the words between braces; an unclosed brace gives the rest of the text.
  private static func words(of text: String) -> [String] {
    text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().map { part in
      String(part.prefix { $0 != "}" })
    }
  }

  /// Returns the text of an event with these plain fields for a reader of `language`; nil if events of its type are not pushed.
  ///
  /// A language with a region, such as `pt-BR`, is looked up as given, then without the region, then as the fallback. A broadcast brings
  /// its own text.
  func text(
    of event: CloudEvent, language: String?, fields: [String: String], now: Instant
  ) -> Text? {
    if event.type == .broadcast {
      return Text(
        title: fields["title"] ?? "", body: fields["body"] ?? "", locKey: fields["locKey"])
    }
    guard let languages = templates[event.type],
      let chosen = LocalizedText.language(language, among: languages.keys, fallbacks: fallback),
      let template = languages[chosen]
    else { return nil }
    var values = fields
    if let end = event.pointlessFrom {
      values["hours"] = "\(max(1, (end.seconds(since: now) + 1_800) / 3_600))"
    }
    let words = PushWords(of: event, in: chosen)
    if let mission = words.mission { values["mission"] = mission }
    values["reward"] = words.reward
    values["items"] = words.items.joined(separator: words.separator)
    values["boosterDays"] = "\(words.boosterDays)"
    return Text(
      title: Self.fill(template.title, values), body: Self.fill(template.body, values),
      locKey: template.locKey, locArgs: template.locArgs.map { Self.fill($0, values) })
  }

  private static func fill(_ text: String, _ values: [String: String]) -> String {
    var filled = ""
    for (index, part) in text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = part.firstIndex(of: "}") else {
        filled += part
        continue
      }
      filled += values[String(part[..<end])] ?? ""
      filled += part[part.index(after: end)...]
    }
    return filled
  }
}
