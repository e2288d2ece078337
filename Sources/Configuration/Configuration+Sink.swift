internal import NotificationRelay
internal import StrictJSON

extension Configuration.Sink {
  static let kinds = Kind.Name.allCases.map(\.rawValue)

  /// Returns every correctly configured sink.
  static func all(in relay: SettingsSection) -> [Self] {
    var files: [String: String] = [:]
    return relay.names(describing: kinds).compactMap { name in
      let section = relay.section(name)
      defer { section.finish() }
      guard isName(name) else {
        relay.note(name, "a sink's name must be 1 to 64 letters, digits, - or _")
        return nil
      }
      return kind(section).map { kind in
        if case .file(let path) = kind, let other = files.updateValue(name, forKey: path) {
          section.note("path", "the sink \(other) already writes to that file")
        }
        return Self(name: name, kind: kind, terms: Terms(section, kind: kind))
      }
    }
  }

  private static func kind(_ section: SettingsSection) -> Kind? {
    guard let name = section.requiredKind("kind", among: kinds).flatMap(Kind.Name.init)
    else { return nil }
    switch name {
    case .webhook:
      let url = section.requiredText("url", objection: HTTPAddress.objection(to:))
      let secret = requiredSecret("secret", in: section)
      guard let url, let secret else { return nil }
      return .webhook(url: url, secret: secret)
    case .fcm:
      let credentials = requiredSecret("credentials", in: section)
      guard let push = push(section), let credentials else { return nil }
      return .fcm(credentials: credentials, push: push)
    case .file:
      guard section.has("path") else {
        _ = section.requiredText("path")
        return nil
      }
      defer { section.require("path") }
      return .file(path: section.file("path", default: ""))
    }
  }

  /// Reads the settings that only push sinks have; returns nil after noting a mistake.
  private static func push(_ section: SettingsSection) -> Push? {
    var hours: QuietHours?
    if section.has("quietHours") {
      let text = section.text("quietHours", default: "")
      hours = QuietHours(text)
      if hours == nil {
        section.note("quietHours", "expected two times of day, such as 22:00-08:00")
      }
    }
    let google = "https://fcm.googleapis.com"
    let url = section.has("endpoint") ? section.text("endpoint", default: google) : google
    let topic =
      section.has("topic")
      ? section.text("topic", default: "", objection: objection(toTopic:)) : nil
    let age =
      section.has("maxAgeHours")
      ? section.number("maxAgeHours", default: 24, in: 1...720) : 24
    let templates = section.has("templates") ? section.optionalFile("templates") : nil
    switch WebhookAddress.parse(
      url.hasSuffix("/") ? String(url.dropLast()) : url, allowsPrivate: false)
    {
    case .success(let endpoint):
      return Push(
        templates: templates, quietHours: hours, topic: topic, maxAgeHours: age,
        endpoint: endpoint)
    case .failure(let flaw):
      section.note("endpoint", flaw.description)
      return nil
    }
  }

  /// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
  private static func objection(toTopic topic: String) -> String? {
    let isTopic = topic.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_.~%".utf8.contains(byte)
      }
    }
    if topic.isEmpty { return "must not be empty" }
    return isTopic ? nil : "a topic may contain only letters, digits and - _ . ~ %"
  }

  private static func requiredSecret(
    _ key: String, in section: SettingsSection
  ) -> SecretReference? {
    guard section.has(key) else {
      _ = section.requiredText(key)
      return nil
    }
    defer { section.require(key) }
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
