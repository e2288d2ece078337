internal import StrictJSON

extension Configuration.Sink {
  private static let kinds = ["webhook", "fcm", "file"]

  /// Every sink that is written correctly.
  static func all(in relay: SettingsSection) -> [Self] {
    relay.names.compactMap { name in
      let section = relay.section(name)
      defer { section.finish() }
      guard isName(name) else {
        relay.note(name, "a sink's name has 1 to 64 letters, digits, - or _")
        return nil
      }
      return kind(section).map { kind in
        Self(name: name, kind: kind, terms: Terms(section, kind: kind))
      }
    }
  }

  private static func kind(_ section: SettingsSection) -> Kind? {
    guard let name = section.requiredText("kind") else { return nil }
    switch name {
    case "webhook":
      let url = section.requiredText("url", objection: HTTPAddress.objection(to:))
      let secret = requiredSecret("secret", in: section)
      guard let url, let secret else { return nil }
      return .webhook(url: url, secret: secret)
    case "fcm":
      return requiredSecret("credentials", in: section).map { .fcm(credentials: $0) }
    case "file":
      guard section.has("path") else {
        _ = section.requiredText("path")
        return nil
      }
      return .file(path: section.file("path", default: ""))
    default:
      let hint = NearestName.hint(for: name, among: kinds)
      section.note("kind", "expected one of \(kinds.joined(separator: ", "))\(hint)")
      return nil
    }
  }

  private static func requiredSecret(
    _ key: String, in section: SettingsSection
  ) -> SecretReference? {
    guard section.has(key) else {
      _ = section.requiredText(key)
      return nil
    }
    return section.secret(key)
  }

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
