public import Described
public import StrictJSON

/// A text for people, in several languages.
public struct LocalizedText: Sendable, Equatable {
  /// The text by language, such as `ja` or `pt-BR`.
  public let texts: [String: String]
  /// The language of whoever names none.
  public static let usual = "en"
  private static let maximumBytes = 128

  /// Creates a text from its forms.
  public init(_ texts: [String: String]) { self.texts = texts }

  /// Reads the forms in an object, noting every mistake.
  init(_ section: DocumentSection) {
    var texts: [String: String] = [:]
    for member in section.members {
      guard let text = section.string(member.key), let node = section.node(member.key) else {
        continue
      }
      if !Self.isLanguage(member.key) {
        section.reader.note(
          section.path(of: member.key), at: member.keyOffset,
          "expected a language, such as \"ja\" or \"pt-BR\"")
      }
      if !(1...Self.maximumBytes).contains(text.utf8.count)
        || text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      {
        section.note(
          member.key, node,
          "expected a text of 1 to \(Self.maximumBytes) bytes without control characters")
      }
      texts[member.key] = text
    }
    if texts.isEmpty {
      section.reader.note(
        section.path, at: section.offset, "expected a text for one language at least")
    }
    self.texts = texts
  }

  private static func isLanguage(_ text: String) -> Bool {
    (2...35).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// Returns the language of `available` for a reader of `language`: the same, else without the region, else the first of
  /// `fallbacks` that there is, else the first by name.
  public static func language(
    _ language: String?, among available: some Collection<String>, fallbacks: String...
  ) -> String? {
    let short = language.map { String($0.prefix { $0 != "-" && $0 != "_" }) }
    return ([language, short].compactMap { $0 } + fallbacks).first { available.contains($0) }
      ?? available.min()
  }

  /// Returns the text for a reader of `language`, or else in English, or else in the first language.
  public func text(in language: String? = nil) -> String {
    Self.language(language, among: texts.keys, fallbacks: Self.usual).flatMap { texts[$0] } ?? ""
  }
}

extension LocalizedText: JSONValue {
  /// An object with a text for each language.
  public static var shape: JSONShape { [String: String].shape }

  /// Writes the texts by language.
  public func write(to json: inout JSONWriter) { texts.write(to: &json) }
}
