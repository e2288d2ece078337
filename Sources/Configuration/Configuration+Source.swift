internal import Evidence
package import Ledger
internal import RewardRules
internal import StrictJSON

extension Configuration {
  /// A program that hands in inbox lines, such as the app's backend or its shop.
  package struct Source: Sendable {
    /// Its name.
    package let name: String
    /// What it may say, and its brakes.
    package let terms: InboxSource
    /// The token with which it sends lines to the admin address; nil refuses them there.
    package let token: SecretReference?
  }
}

extension Configuration.Source {
  /// What one credit may give by default.
  private static let presets = [
    "points": 10_000, "exp": 10_000, "coins": 10_000, "items": 100, "boosterDays": 30,
  ]
  /// Names of folders and files beside those of the sources, and of what people hand in.
  private static let reserved = ["hand", "incoming", "done", "rejected", "incomplete"]

  /// Returns every correctly configured source.
  static func all(in sources: SettingsSection) -> [Self] {
    sources.names(describing: ["NAME"]).compactMap { name in
      let section = sources.section(name)
      guard sources.sheet.isDescribing || isName(name) else {
        sources.note(
          name,
          "a source's name must be 1 to 32 of a-z 0-9 -, and not \(reserved.joined(separator: ", "))"
        )
        return nil
      }
      defer { section.finish() }
      var terms = InboxSource(name: name)
      terms.kinds = KindSet(
        words("kinds", of: section, among: ActivityKind.allCases.map(\.name))
          .compactMap { ActivityKind(name: $0) })
      terms.credits = Set(words("credits", of: section, among: Credit.partNames))
      if terms.kinds.isEmpty, terms.credits.isEmpty {
        sources.note(name, "say what it may hand in: \"kinds\", \"credits\", or both")
      }
      let perLine = section.section("perLine")
      for part in Credit.partNames {
        terms.perLine[part] = Int64(
          perLine.number(part, default: presets[part] ?? 0, in: 0...Int(Amounts.most)))
      }
      perLine.finish()
      terms.perUserAndDay = Int64(
        section.number("perUserAndDay", default: 5, in: 1...1_000_000_000))
      terms.perDay = Int64(section.number("perDay", default: 10_000, in: 1...1_000_000_000))
      return Self(name: name, terms: terms, token: section.secret("token"))
    }
  }

  private static func words(
    _ key: String, of section: SettingsSection, among known: [String]
  ) -> [String] {
    let words = section.texts(key, among: known)
    if let stranger = words.first(where: { !known.contains($0) }) {
      let hint = NearestName.hint(for: stranger, among: known)
      section.note(
        key,
        "unknown word \"\(stranger)\"\(hint.isEmpty ? "; expected \(known.joined(separator: ", "))" : hint)"
      )
    }
    return words
  }

  private static func isName(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count) && !reserved.contains(text)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
      }
  }
}
