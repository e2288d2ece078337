package import NotificationRelay
internal import StrictJSON

extension Configuration {
  /// A destination for events.
  package struct Sink: Sendable {
    /// The kind of destination.
    package enum Kind: Sendable {
      /// A URL that receives CloudEvents as signed POST requests.
      case webhook(Webhook)
      /// Firebase Cloud Messaging.
      case fcm(Push)
      /// The app's own documents in Cloud Firestore.
      case firestore(Store)
      /// A file with one CloudEvent per line.
      case file(path: String)

      /// The names of the kinds in the configuration.
      package enum Name: String, CaseIterable, Sendable { case webhook, fcm, firestore, file }

      /// The kind's name.
      package var name: Name {
        switch self {
        case .webhook: .webhook
        case .fcm: .fcm
        case .firestore: .firestore
        case .file: .file
        }
      }

      /// The secret without which nothing can be sent; nil if it needs none.
      package var secret: SecretReference? {
        switch self {
        case .webhook(let webhook): webhook.secret
        case .fcm(let push): push.credentials
        case .firestore(let store): store.credentials
        case .file: nil
        }
      }
    }

    /// Settings for webhooks.
    package struct Webhook: Sendable {
      /// The URL to post to.
      package let url: String
      /// Whether it may lead to a private address.
      package let allowsPrivate: Bool
      /// The secret that signs events.
      package let secret: SecretReference
      /// The previous secret, during a rotation.
      package let previousSecret: SecretReference?
    }

    /// Settings for push notifications.
    package struct Push: Sendable {
      /// The service account's credentials.
      package let credentials: SecretReference
      /// A file with templates; nil for the built-in texts.
      package let templates: String?
      /// The hours without pushes, in each user's zone; nil for none.
      package let quietHours: QuietHours?
      /// The topic for events that concern no user; nil drops them.
      package let topic: String?
      /// The age beyond which events are not pushed.
      package let maxAgeHours: Int
      /// The address that messages are sent to.
      package let endpoint: WebhookAddress
    }

    /// Settings for the app's documents.
    package struct Store: Sendable {
      /// The service account's credentials.
      package let credentials: SecretReference
      /// The project; nil for the service account's own.
      package let project: String?
      /// The database.
      package let database: String
      /// The collection of users' documents.
      package let collection: String
      /// The documents' fields.
      package let fields: StoreFields
      /// Other ledgers that this one continues.
      package let formerLedgers: [String]
      /// The address of Firestore.
      package let endpoint: WebhookAddress
    }

    /// The sink's name, also the name of its folder under `relay/`.
    package let name: String
    /// The kind of destination.
    package internal(set) var kind: Kind
    /// What the sink receives, and how.
    package var terms = Terms()
  }
}

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
    case .webhook: return webhook(section).map { .webhook($0) }
    case .fcm: return push(section).map { .fcm($0) }
    case .firestore: return store(section).map { .firestore($0) }
    case .file:
      guard section.has("path") else {
        _ = section.requiredText("path")
        return nil
      }
      defer { section.require("path") }
      return .file(path: section.file("path", default: ""))
    }
  }

  /// Reads the settings that only webhooks have; returns nil after noting a mistake.
  private static func webhook(_ section: SettingsSection) -> Webhook? {
    let url = section.requiredText("url", objection: HTTPAddress.objection(to:))
    let secret = requiredSecret("secret", in: section)
    let previous = section.has("previousSecret") ? section.secret("previousSecret") : nil
    let allowsPrivate =
      section.has("allowPrivate") && section.flag("allowPrivate", default: false)
    guard let url, let secret else { return nil }
    if case .failure(let flaw) = WebhookAddress.parse(url, allowsPrivate: allowsPrivate) {
      section.note("url", flaw.description)
    }
    return Webhook(
      url: url, allowsPrivate: allowsPrivate, secret: secret, previousSecret: previous)
  }

  /// Reads the settings that only push sinks have; returns nil after noting a mistake.
  private static func push(_ section: SettingsSection) -> Push? {
    let credentials = requiredSecret("credentials", in: section)
    var hours: QuietHours?
    if section.has("quietHours") {
      let text = section.text("quietHours", default: "")
      hours = QuietHours(text)
      if hours == nil {
        section.note("quietHours", "expected two times of day, such as 22:00-08:00")
      }
    }
    let topic =
      section.has("topic")
      ? section.text("topic", default: "", objection: objection(toTopic:)) : nil
    let age =
      section.has("maxAgeHours")
      ? section.number("maxAgeHours", default: 24, in: 1...720) : 24
    let templates = section.has("templates") ? section.optionalFile("templates") : nil
    guard let endpoint = endpoint("https://fcm.googleapis.com", section), let credentials
    else { return nil }
    return Push(
      credentials: credentials, templates: templates, quietHours: hours, topic: topic,
      maxAgeHours: age, endpoint: endpoint)
  }

  /// Reads the settings that only Firestore sinks have; returns nil after noting a mistake.
  private static func store(_ section: SettingsSection) -> Store? {
    let credentials = requiredSecret("credentials", in: section)
    let project = section.text("project", default: "", objection: objection(toPart:))
    let database = section.text("database", default: "(default)", objection: objection(toPart:))
    let collection = section.text("collection", default: "Users", objection: objection(toPart:))
    let names = section.section("fields")
    var fields = StoreFields()
    var taken: [String: StoreField] = [:]
    for field in StoreField.allCases {
      let key = field.rawValue
      fields[field] = names.name(key, default: key, objection: StoreFields.objection(to:))
      if let name = fields[field], let other = taken.updateValue(field, forKey: name) {
        // At least one of both names was written; the other may be the usual one.
        let (written, has) = names.has(key) ? (key, other.rawValue) : (other.rawValue, key)
        names.note(written, "\(has) has that name already")
      }
    }
    if fields[.record] == nil {
      names.note(StoreField.record.rawValue, "cannot be left out: it says what was written")
      fields[.record] = StoreField.record.rawValue
    }
    names.finish()
    fields.collectedValue = section.flag("collectedValue", default: false)
    let former = section.words("formerLedgers")
    guard let endpoint = endpoint("https://firestore.googleapis.com", section), let credentials
    else { return nil }
    return Store(
      credentials: credentials, project: project.isEmpty ? nil : project, database: database,
      collection: collection, fields: fields, formerLedgers: former, endpoint: endpoint)
  }

  /// Reads the address of a service of Google, which a test may replace.
  private static func endpoint(_ google: String, _ section: SettingsSection) -> WebhookAddress? {
    let written = section.has("endpoint") ? section.text("endpoint", default: "") : ""
    let url = written.isEmpty ? google : written
    switch WebhookAddress.parse(
      url.hasSuffix("/") ? String(url.dropLast()) : url, allowsPrivate: false)
    {
    case .success(let endpoint): return endpoint
    case .failure(let flaw):
      section.note("endpoint", flaw.description)
      return nil
    }
  }

  /// Returns what is wrong with a part of a document's name, or nil.
  private static func objection(toPart part: String) -> String? {
    isMade(part, with: "-_().:") ? nil : "may contain only letters, digits and - _ . : ( )"
  }

  /// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
  private static func objection(toTopic topic: String) -> String? {
    if topic.isEmpty { return "must not be empty" }
    return isMade(topic, with: "-_.~%")
      ? nil : "a topic may contain only letters, digits and - _ . ~ %"
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
    (1...64).contains(text.utf8.count) && isMade(text, with: "-_")
  }

  /// Returns whether a text has only letters, digits and these `others`, all of ASCII.
  private static func isMade(_ text: String, with others: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: others.utf8.contains(byte)
      }
    }
  }
}
