/// One object of a document, read key by key; see ``DocumentReader``.
public final class DocumentSection {
  /// The reader that collects the problems.
  public let reader: DocumentReader
  /// The path of this object in the document.
  public let path: String
  /// The byte offset of this object.
  public let offset: Int
  /// The members in text order.
  public let members: [JSONNode.Member]
  private var known: [String] = []

  init(reader: DocumentReader, path: String, offset: Int, members: [JSONNode.Member]) {
    self.reader = reader
    self.path = path
    self.offset = offset
    self.members = members
  }

  /// Returns the path of this object's member `key`.
  public func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Returns the value of `key`, or nil. From now on the key counts as known.
  public func node(_ key: String) -> JSONNode? {
    known.append(key)
    reader.asked.insert(path(of: key))
    return members.first { $0.key == key }?.value
  }

  /// Returns whether this object contains `key`.
  public func has(_ key: String) -> Bool { members.contains { $0.key == key } }

  /// Returns the object under `key`; nil if it is missing or, with a problem noted, not an object.
  public func section(_ key: String) -> DocumentSection? {
    guard let node = node(key) else { return nil }
    return reader.section(node, path: path(of: key))
  }

  /// Returns the text under `key`; nil if it is missing or, with a problem noted, not a string.
  public func string(_ key: String) -> String? {
    guard let node = node(key) else { return nil }
    if let text = node.string { return text }
    note(key, node, "expected a text in quotes")
    return nil
  }

  /// Returns the whole number under `key`; nil if it is missing or, with a problem noted, not one in `range`.
  public func int(_ key: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let node = node(key) else { return nil }
    if let value = node.int, range.contains(value) { return value }
    note(key, node, "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// Returns the Boolean under `key`; nil if it is missing or, with a problem noted, something else.
  public func bool(_ key: String) -> Bool? {
    guard let node = node(key) else { return nil }
    if case .bool(let value) = node.content { return value }
    note(key, node, "expected true or false")
    return nil
  }

  /// Returns the texts under `key`; nil if it is missing or, with a problem noted, not an array of strings.
  public func strings(_ key: String) -> [String]? {
    guard let node = node(key) else { return nil }
    guard let elements = node.elements else {
      note(key, node, "expected an array of texts")
      return nil
    }
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      guard let text = element.string else {
        reader.note("\(path(of: key))[\(index)]", at: element.offset, "expected a text in quotes")
        return nil
      }
      texts.append(text)
    }
    return texts
  }

  /// Notes a mistake at the value of `key`.
  public func note(_ key: String, _ node: JSONNode, _ what: String) {
    reader.note(path(of: key), at: node.offset, what)
  }

  /// Notes that `key` is missing; `example` is a possible value, as written in the text.
  public func noteMissing(_ key: String, example: String? = nil) {
    let remedy = example.map { "; write \"\(key)\": \($0)" } ?? ""
    reader.note(path(of: key), at: offset, "is missing\(remedy)")
  }

  /// Notes every member that no getter has read, with the nearest key that one has, or all of them.
  public func finish() {
    for member in members where !known.contains(member.key) {
      var hint = NearestName.hint(for: member.key, among: known)
      if hint.isEmpty, !known.isEmpty {
        var names: [String] = []
        for name in known where !names.contains(name) { names.append(name) }
        hint = " (there are \(names.joined(separator: ", ")))"
      }
      reader.note(path(of: member.key), at: member.keyOffset, "unknown key\(hint)")
    }
  }
}
