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
  public func write(to json: inout JSONWriter) {
    json.beginObject()
    Self.members.write(self, to: &json)
    json.endObject()
  }
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

  /// Returns the object as compact JSON.
  public func text(of value: Value) -> String {
    var json = JSONWriter()
    json.beginObject()
    write(value, to: &json)
    json.endObject()
    return json.text
  }

  /// Adds a member that is always present; an optional one is `null` when nil.
  public mutating func add<Member: JSONValue>(
    _ name: String, _ member: @escaping @Sendable (Value) -> Member, _ help: String = ""
  ) {
    note(name, Member.shape, help) { value, json in
      json.key(name)
      member(value).write(to: &json)
    }
  }

  /// Adds a member that is left out when nil.
  public mutating func optional<Member: JSONValue>(
    _ name: String, _ member: @escaping @Sendable (Value) -> Member?, _ help: String = ""
  ) {
    note(name, Member.shape, isOptional: true, help) { value, json in
      guard let member = member(value) else { return }
      json.key(name)
      member.write(to: &json)
    }
  }

  /// Adds a member that is one of a set of words.
  public mutating func word(
    _ name: String, among words: [String], _ member: @escaping @Sendable (Value) -> String,
    _ help: String = ""
  ) {
    note(name, words.count == 1 ? .word(words[0]) : .words(words), help) { value, json in
      json.member(name, member(value))
    }
  }

  /// Adds an array of objects.
  public mutating func list<Element>(
    _ name: String, _ elements: @escaping @Sendable (Value) -> [Element], _ help: String = "",
    of members: (inout JSONMembers<Element>) -> Void
  ) {
    let members = JSONMembers<Element>(members)
    note(name, .list(members.shape, count: nil), help) { value, json in
      json.objects(name, elements(value)) { json, element in members.write(element, to: &json) }
    }
  }

  /// Adds an array of objects that is left out when empty.
  public mutating func optionalList<Element>(
    _ name: String, _ elements: @escaping @Sendable (Value) -> [Element], _ help: String = "",
    of members: (inout JSONMembers<Element>) -> Void
  ) {
    let members = JSONMembers<Element>(members)
    note(name, .list(members.shape, count: nil), isOptional: true, help) { value, json in
      let elements = elements(value)
      if elements.isEmpty { return }
      json.objects(name, elements) { json, element in members.write(element, to: &json) }
    }
  }

  /// Adds an object.
  public mutating func object<Part>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part, _ help: String = "",
    of members: (inout JSONMembers<Part>) -> Void
  ) {
    let members = JSONMembers<Part>(members)
    note(name, members.shape, help) { value, json in
      json.object(name) { json in members.write(part(value), to: &json) }
    }
  }

  /// Adds an object that is `null` when nil.
  public mutating func nullableObject<Part>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part?, _ help: String = "",
    of members: (inout JSONMembers<Part>) -> Void
  ) {
    let members = JSONMembers<Part>(members)
    note(name, members.shape.orNull, help) { value, json in
      guard let part = part(value) else {
        json.key(name)
        return json.null()
      }
      json.object(name) { json in members.write(part, to: &json) }
    }
  }

  /// Adds an object that is left out when nil.
  public mutating func optionalObject<Part>(
    _ name: String, _ part: @escaping @Sendable (Value) -> Part?, _ help: String = "",
    of members: (inout JSONMembers<Part>) -> Void
  ) {
    let members = JSONMembers<Part>(members)
    note(name, members.shape, isOptional: true, help) { value, json in
      guard let part = part(value) else { return }
      json.object(name) { json in members.write(part, to: &json) }
    }
  }

  /// Adds an object with free names, in the order of the parts.
  public mutating func map<Part: JSONValue>(
    _ name: String, _ parts: @escaping @Sendable (Value) -> [(name: String, value: Part)],
    _ help: String = ""
  ) {
    note(name, .map(Part.shape), help) { value, json in
      json.object(name) { json in
        for part in parts(value) {
          json.key(part.name)
          part.value.write(to: &json)
        }
      }
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

  private mutating func note(
    _ name: String, _ shape: JSONShape, isOptional: Bool = false, _ help: String,
    _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    fields.append(JSONShape.Field(name, shape, isOptional: isOptional, help: help))
    writers.append(write)
  }
}
