internal import StrictJSON

/// One object of the configuration, with the stronger layers above it and the defaults below.
///
/// Every getter returns a usable value, notes any mistake, and records the value with its origin.
final class SettingsSection {
  let sheet: SettingsSheet
  private let path: String
  private let document: DocumentSection?

  init(_ document: DocumentSection?, path: String, sheet: SettingsSheet) {
    self.document = document
    self.path = path
    self.sheet = sheet
  }

  func section(_ key: String) -> SettingsSection {
    SettingsSection(document?.section(key), path: path(of: key), sheet: sheet)
  }

  /// Returns a text, and notes a mistake if `objection` returns one.
  func text(
    _ key: String, default preset: String, objection: (String) -> String? = { _ in nil }
  ) -> String {
    describe(key, .text(.text), preset)
    let written = document?.string(key)
    let value = choose(
      key, default: preset, written: written, fromText: { $0 }, expected: "a text", show: { $0 })
    if let what = objection(value) { note(key, what) }
    return value
  }

  /// Returns one of `words`, by default the first.
  func word(_ key: String, among words: [String]) -> String {
    let value = text(key, default: words[0]) { text in
      words.contains(text)
        ? nil
        : "expected \(words.joined(separator: " or "))\(NearestName.hint(for: text, among: words))"
    }
    describe(key, .words(words), words[0])
    return value
  }

  /// Returns a whole number in `range`.
  func number(_ key: String, default preset: Int, in range: ClosedRange<Int>) -> Int {
    describe(key, .integer(Int64(range.lowerBound)...Int64(range.upperBound)), String(preset))
    let written = document?.int(key, in: Int64(range.lowerBound)...Int64(range.upperBound))
    return choose(
      key, default: preset, written: written.map { Int($0) },
      fromText: { Int($0).flatMap { range.contains($0) ? $0 : nil } },
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      show: { String($0) })
  }

  func flag(_ key: String, default preset: Bool) -> Bool {
    describe(key, .bool, String(preset))
    return choose(
      key, default: preset, written: document?.bool(key),
      fromText: { $0 == "true" ? true : $0 == "false" ? false : nil }, expected: "true or false",
      show: { String($0) })
  }

  /// Returns a name that only the file can set, or nil if it is null there.
  func name(
    _ key: String, default preset: String, objection: (String) -> String?
  ) -> String? {
    describe(key, .either([.text(.text), .null]), preset)
    guard let document, document.has(key) else {
      sheet.record(path(of: key), preset, .default)
      return preset
    }
    if case .null? = document.node(key)?.content {
      sheet.record(path(of: key), "null", .file)
      return nil
    }
    guard let value = document.string(key) else { return preset }
    sheet.record(path(of: key), value, .file)
    if let what = objection(value) { note(key, what) }
    return value
  }

  /// Returns the path of a file or folder, relative to the configuration's folder unless a stronger layer gives it.
  func file(
    _ key: String, default preset: String, objection: (String) -> String? = { _ in nil }
  ) -> String {
    describe(key, .text(.text), preset)
    let written = document?.string(key)
    let value = choose(
      key, default: sheet.resolved(preset), written: written.map { sheet.resolved($0) },
      fromText: { $0.isEmpty ? nil : $0 }, expected: "a path", show: { Self.withoutPassword($0) })
    if let what = objection(value) { note(key, what) }
    return value
  }

  /// Returns a path for display, without the parts of an address that may hold a password.
  private static func withoutPassword(_ path: String) -> String {
    guard let scheme = path.firstRange(of: "://") else { return path }
    var place = path[scheme.upperBound...]
    if let at = place.lastIndex(of: "@") { place = place[place.index(after: at)...] }
    return String(path[..<scheme.upperBound]) + place.prefix { $0 != "?" }
  }

  /// Returns the path of an optional file.
  func optionalFile(_ key: String) -> String? {
    let path = file(key, default: "")
    return path.isEmpty ? nil : path
  }

  /// Returns a list of files, empty by default.
  func files(_ key: String) -> [String] {
    describe(key, .list(.text(.text), count: nil), "[]")
    let written = document?.strings(key)
    return choose(
      key, default: [], written: written.map { $0.map { sheet.resolved($0) } },
      fromText: { $0.split(separator: ",").map { String($0) } },
      expected: "paths separated by commas",
      show: { $0.joined(separator: ",") })
  }

  /// Returns a list of words, which only the file can set; `known` are the valid words.
  func texts(_ key: String, among known: [String]) -> [String] {
    describe(key, .list(.words(known), count: nil))
    let written = document?.strings(key) ?? []
    sheet.record(path(of: key), written.joined(separator: ","), .file)
    return written
  }

  /// Returns a list of any words, which only the file can set.
  func words(_ key: String) -> [String] {
    describe(key, .list(.text(.text), count: nil))
    let written = document?.strings(key)
    sheet.record(
      path(of: key), written?.joined(separator: ",") ?? "", written == nil ? .default : .file)
    return written ?? []
  }

  /// Returns a reference to a secret, or nil when it is absent or malformed.
  func secret(_ key: String, default preset: SecretReference? = nil) -> SecretReference? {
    describe(key, Self.secretShape, preset?.document ?? "")
    if sheet.isDescribing { return preset ?? .environment("") }
    let node = document?.node(key)
    let written = node.flatMap { secretReference($0, key) }
    let reference = node == nil ? preset : written
    sheet.noteSecret(path(of: key), reference)
    sheet.record(path(of: key), reference?.description ?? "", node == nil ? .default : .file)
    return reference
  }

  /// Returns a text that the file must contain; returns nil after noting that it does not.
  func requiredText(_ key: String, objection: (String) -> String? = { _ in nil }) -> String? {
    describe(key, .text(.text))
    require(key)
    if sheet.isDescribing { return "" }
    guard let document else { return nil }
    guard document.has(key) else {
      document.noteMissing(key)
      return nil
    }
    guard let value = document.string(key) else { return nil }
    sheet.record(path(of: key), value, .file)
    if let what = value.isEmpty ? "must not be empty" : objection(value) { note(key, what) }
    return value
  }

  /// Returns the word that decides the meaning of the rest of the section; returns nil after noting that it is none of `words`.
  ///
  /// When keys are being described, each section has the kind after which it is named.
  func requiredKind(_ key: String, among words: [String]) -> String? {
    if sheet.isDescribing {
      let own = path.split(separator: ".").last.map { String($0) } ?? ""
      describe(key, .word(own))
      require(key)
      return own
    }
    guard let word = requiredText(key) else { return nil }
    if words.contains(word) { return word }
    let hint = NearestName.hint(for: word, among: words)
    note(key, "expected one of \(words.joined(separator: ", "))\(hint)")
    return nil
  }

  /// Notes a mistake in the value of `key`, wherever that value was written.
  func note(_ key: String, _ what: String) {
    if let override = sheet.override(of: path(of: key)) {
      sheet.note(override, path(of: key), what)
    } else if let document, let node = document.node(key) {
      document.note(key, node, what)
    }
  }

  /// Returns the names of the members in the file, in order, or `kinds` when keys are being described.
  func names(describing kinds: [String]) -> [String] {
    sheet.isDescribing ? kinds : document?.members.map(\.key) ?? []
  }

  /// Whether `key` is in the file, or keys are being described.
  func has(_ key: String) -> Bool { sheet.isDescribing || document?.has(key) ?? false }

  /// Notes every key that no getter has read.
  func finish() { document?.finish() }

  /// Marks `key` as required in its section.
  func require(_ key: String) { sheet.require(path(of: key)) }

  private func describe(_ key: String, _ shape: JSONShape, _ preset: String = "") {
    sheet.describe(ConfigurationKey(path: path(of: key), shape: shape, preset: preset))
  }

  private static let secretShape = JSONShape.either([
    .object([.init("env", .text(.text))]), .object([.init("file", .text(.text))]),
  ])

  private func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Returns the value from the strongest layer that has one.
  private func choose<Value>(
    _ key: String, default preset: Value, written: Value?, fromText: (String) -> Value?,
    expected: String, show: (Value) -> String
  ) -> Value {
    let path = path(of: key)
    if let override = sheet.override(of: path) {
      if let value = fromText(override.text) {
        sheet.record(path, show(value), override.origin)
        return value
      }
      sheet.note(override, path, "expected \(expected)")
    }
    let value = written ?? preset
    sheet.record(path, show(value), written == nil ? .default : .file)
    return value
  }

  private func secretReference(_ node: JSONNode, _ key: String) -> SecretReference? {
    guard let members = node.members, members.count == 1, let place = members.first,
      let text = place.value.string, !text.isEmpty
    else {
      document?.note(key, node, "name where the secret is: {\"env\": NAME} or {\"file\": PATH}")
      return nil
    }
    switch place.key {
    case "env": return .environment(text)
    case "file": return .file(sheet.resolved(text))
    default:
      document?.note(key, node, "expected {\"env\": NAME} or {\"file\": PATH}")
      return nil
    }
  }
}
