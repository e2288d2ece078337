public import StrictJSON

/// A value that programs read as JSON, of a shape known without the value.
public protocol JSONValue: SendableMetatype {
  /// The shape of such values.
  static var shape: JSONShape { get }
  /// Writes the value.
  func write(to json: inout JSONWriter)
}

/// A value written as an object. It lists its members once; the document, its JSON Schema and the reference follow.
public protocol JSONObject: JSONValue {
  /// The members in the order in which they are written. Store it, because it is needed for each value.
  static var members: JSONMembers<Self> { get }
}

extension JSONObject {
  /// An object with the members.
  public static var shape: JSONShape { members.shape }

  /// Writes the members in braces.
  public func write(to json: inout JSONWriter) { Self.members.writeObject(self, to: &json) }
}

/// The members of an object: their names, what they mean, and where a value has them.
public struct JSONMembers<Value>: Sendable {
  /// The names and shapes.
  public private(set) var fields: [JSONShape.Field] = []
  private var writers: [@Sendable (Value, inout JSONWriter) -> Void] = []

  /// Lists the members.
  public init(_ list: (inout Self) -> Void) { list(&self) }

  /// The shape of the object.
  public var shape: JSONShape { .object(fields) }

  /// Writes the members of a value without braces.
  public func write(_ value: Value, to json: inout JSONWriter) {
    for write in writers { write(value, &json) }
  }

  /// Writes the members of a value in braces.
  public func writeObject(_ value: Value, to json: inout JSONWriter) {
    json.beginObject()
    write(value, to: &json)
    json.endObject()
  }

  /// Returns the object as compact JSON.
  public func text(of value: Value) -> String {
    var json = JSONWriter()
    writeObject(value, to: &json)
    return json.text
  }

  /// Adds a member that is always present; an optional one is `null` when nil.
  public mutating func add<Member: JSONValue>(
    _ name: String, _ member: @escaping @Sendable (Value) -> Member, _ help: String = ""
  ) {
    add(name, Member.shape, help, member) { $0.write(to: &$1) }
  }

  /// Adds a member that is left out when nil.
  public mutating func optional<Member: JSONValue>(
    _ name: String, _ member: @escaping @Sendable (Value) -> Member?, _ help: String = ""
  ) {
    add(name, Member.shape, isOptional: true, help, member) { $0.write(to: &$1) }
  }

  /// Adds a member that is one of a set of words.
  public mutating func word(
    _ name: String, among words: [String], _ member: @escaping @Sendable (Value) -> String,
    _ help: String = ""
  ) {
    add(name, words.count == 1 ? .word(words[0]) : .words(words), help, member) { $1.string($0) }
  }

  /// Adds an array of objects.
  public mutating func list<Element>(
    _ name: String, _ elements: @escaping @Sendable (Value) -> [Element], _ help: String = "",
    of members: (inout JSONMembers<Element>) -> Void
  ) {
    let members = JSONMembers<Element>(members)
    add(name, .list(members.shape, count: nil), help, elements) { members.writeList($0, to: &$1) }
  }

  /// Adds an array of objects that is left out when empty.
  public mutating func optionalList<Element>(
    _ name: String, _ elements: @escaping @Sendable (Value) -> [Element], _ help: String = "",
    of members: (inout JSONMembers<Element>) -> Void
  ) {
    let members = JSONMembers<Element>(members)
    add(name, .list(members.shape, count: nil), isOptional: true, help) { value in
      let elements = elements(value)
      return elements.isEmpty ? nil : elements
    } write: {
      members.writeList($0, to: &$1)
    }
  }

  /// Adds an object.
  public mutating func object<Part>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part, _ help: String = "",
    of members: (inout JSONMembers<Part>) -> Void
  ) {
    let members = JSONMembers<Part>(members)
    add(name, members.shape, help, part) { members.writeObject($0, to: &$1) }
  }

  /// Adds an object that is `null` when nil.
  public mutating func nullableObject<Part>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part?, _ help: String = "",
    of members: (inout JSONMembers<Part>) -> Void
  ) {
    let members = JSONMembers<Part>(members)
    add(name, members.shape.orNull, help, part) { members.writeObject($0, to: &$1) }
  }

  /// Adds an object that is left out when nil.
  public mutating func optionalObject<Part>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part?, _ help: String = "",
    of members: (inout JSONMembers<Part>) -> Void
  ) {
    let members = JSONMembers<Part>(members)
    add(name, members.shape, isOptional: true, help, part) { members.writeObject($0, to: &$1) }
  }

  /// Adds an object with free names, in the order of the parts.
  public mutating func map<Part: JSONValue>(
    _ name: String, _ parts: @escaping @Sendable (Value) -> [(name: String, value: Part)],
    _ help: String = ""
  ) {
    add(name, .map(Part.shape), help, parts) { parts, json in
      json.beginObject()
      for part in parts {
        json.key(part.name)
        part.value.write(to: &json)
      }
      json.endObject()
    }
  }

  /// Adds the members of a part as if they were this object's own.
  public mutating func include<Part: JSONObject>(
    _ part: @escaping @Sendable (Value) -> Part
  ) {
    include(part, as: Part.members)
  }

  /// Adds the members of a part as if they were this object's own.
  public mutating func include<Part>(
    _ part: @escaping @Sendable (Value) -> Part, as members: JSONMembers<Part>
  ) {
    fields += members.fields
    writers.append { value, json in members.write(part(value), to: &json) }
  }

  private func writeList(_ values: [Value], to json: inout JSONWriter) {
    json.beginArray()
    for value in values { writeObject(value, to: &json) }
    json.endArray()
  }

  /// Adds a member; without a part it is left out if optional, and otherwise `null`.
  private mutating func add<Part>(
    _ name: String, _ shape: JSONShape, isOptional: Bool = false, _ help: String,
    _ part: @escaping @Sendable (Value) -> Part?,
    write: @escaping @Sendable (Part, inout JSONWriter) -> Void
  ) {
    fields.append(JSONShape.Field(name, shape, isOptional: isOptional, help: help))
    writers.append { value, json in
      let part = part(value)
      if part == nil, isOptional { return }
      json.key(name)
      if let part { write(part, &json) } else { json.null() }
    }
  }
}
