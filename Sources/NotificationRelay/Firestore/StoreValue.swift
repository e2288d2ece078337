internal import CivilTime
internal import StrictJSON

/// A value of a document's field: https://firebase.google.com/docs/firestore/reference/rest/Shared.Types/ArrayValue#Value
enum StoreValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case string(String)
  case timestamp(Instant)
  case array([StoreValue])
  case map([String: StoreValue])
  /// A number with a fraction; its value is never needed.
  case double
  /// Any other type, or a value that cannot be read.
  case other

  /// Reads a value in Firestore's JSON.
  init(_ node: JSONNode) {
    guard let member = node.members?.first, node.members?.count == 1 else {
      self = .other
      return
    }
    let value = member.value
    switch (member.key, value.content) {
    case ("nullValue", _): self = .null
    case ("booleanValue", .bool(let flag)): self = .bool(flag)
    case ("integerValue", .string(let text)), ("integerValue", .number(let text)):
      self = Int64(text).map { .integer($0) } ?? .other
    case ("doubleValue", _): self = .double
    case ("stringValue", .string(let text)): self = .string(text)
    case ("timestampValue", .string(let text)):
      self = (try? InstantText.parse(text)).map { .timestamp($0.instant) } ?? .other
    case ("arrayValue", .object): self = .array((value["values"]?.elements ?? []).map(Self.init))
    case ("mapValue", .object): self = .map(Self.fields(value["fields"]))
    default: self = .other
    }
  }

  /// Reads the fields of a document or a map.
  static func fields(_ node: JSONNode?) -> [String: StoreValue] {
    Dictionary((node?.members ?? []).map { ($0.key, StoreValue($0.value)) }) { $1 }
  }
}

extension JSONWriter {
  /// Writes a value in Firestore's JSON; ``StoreValue/double`` and ``StoreValue/other``, which are only read, as null.
  mutating func store(_ value: StoreValue) {
    beginObject()
    switch value {
    case .bool(let flag):
      key("booleanValue")
      bool(flag)
    case .integer(let number): member("integerValue", String(number))
    case .string(let text): member("stringValue", text)
    case .timestamp(let instant): member("timestampValue", instant.description)
    case .array(let elements):
      key("arrayValue")
      store(elements)
    case .map(let fields):
      key("mapValue")
      beginObject()
      store(fields: fields)
      endObject()
    case .null, .double, .other:
      key("nullValue")
      null()
    }
    endObject()
  }

  /// Writes an `ArrayValue`.
  mutating func store(_ elements: [StoreValue]) {
    beginObject()
    key("values")
    beginArray()
    for element in elements { store(element) }
    endArray()
    endObject()
  }

  /// Writes the member `fields` of a document or a map.
  mutating func store(fields: [String: StoreValue]) {
    key("fields")
    beginObject()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      key(name)
      store(value)
    }
    endObject()
  }
}
