internal import StrictJSON

/// Reads an object whose fields stand in the order of their description, as this program writes them.
///
/// Fields of no meaning are passed over. Finds out, but does not deal with it, when the order is another one.
struct FieldReader: FieldCoder {
  private var json: JSONReader
  private let names: [StaticString]
  /// The fields before this one have had their turn.
  private var position = 0
  private var next: JSONKey?
  private var isDisordered = false

  /// A reader of the object that stands next in `json`.
  init(_ json: JSONReader, names: [StaticString]) {
    self.json = json
    self.names = names
  }

  mutating func begin() throws(JSONError) {
    try json.beginObject()
    next = try json.readKey(isFirst: true)
  }

  /// Ends the object; when its order was as described, `reader` stands behind it and true is returned.
  mutating func finish(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    while !isDisordered, let key = next {
      if isKnown(key) { return false }
      try pass()
    }
    if isDisordered { return false }
    reader = json
    return true
  }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(JSONError) {
    if try stands(name, isNeeded: true) { value = try readValue() }
  }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) {
    if try stands(name, isNeeded: false) { value = try readValue() }
  }

  mutating func field<Value: LineValue & Equatable>(
    _ name: StaticString, _ value: inout Value, unless usual: Value
  ) throws(JSONError) {
    value = try stands(name, isNeeded: false) ? try readValue() : usual
  }

  mutating func nullable<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) {
    guard try stands(name, isNeeded: false) else { return }
    if try json.readNull() {
      next = try json.readKey(isFirst: false)
    } else {
      value = try readValue()
    }
  }

  private mutating func readValue<Value: LineValue>() throws(JSONError) -> Value {
    let value = try Value.read(from: &json)
    next = try json.readKey(isFirst: false)
    return value
  }

  /// Whether the field `name`, whose turn it is, stands next.
  private mutating func stands(_ name: StaticString, isNeeded: Bool) throws(JSONError) -> Bool {
    position += 1
    if isDisordered { return false }
    while let key = next {
      if name ~= key { return true }
      if names[position...].contains(where: { $0 ~= key }) { break }
      if isKnown(key) {
        isDisordered = true
        return false
      }
      try pass()
    }
    if isNeeded { isDisordered = true }
    return false
  }

  private func isKnown(_ key: JSONKey) -> Bool { names.contains { $0 ~= key } }

  private mutating func pass() throws(JSONError) {
    try json.skipValue()
    next = try json.readKey(isFirst: false)
  }
}

/// Looks the fields of an object up, in whatever order they stand; of two of one name the last counts.
struct FieldTable: FieldCoder {
  private var members: [(key: JSONKey, value: JSONReader)] = []
  private let end: JSONReader

  /// Takes in the object that stands next.
  init(_ json: inout JSONReader) throws(JSONError) {
    var members: [(key: JSONKey, value: JSONReader)] = []
    try json.readObject { (json, key) throws(JSONError) in
      members.append((key, json))
      try json.skipValue()
    }
    self.members = members
    end = json
  }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(JSONError) {
    guard var json = reader(of: name) else {
      throw end.error("the field \"\(name)\" is missing")
    }
    value = try Value.read(from: &json)
  }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) {
    guard var json = reader(of: name) else { return }
    value = try Value.read(from: &json)
  }

  mutating func field<Value: LineValue & Equatable>(
    _ name: StaticString, _ value: inout Value, unless usual: Value
  ) throws(JSONError) {
    value = usual
    guard var json = reader(of: name) else { return }
    value = try Value.read(from: &json)
  }

  mutating func nullable<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) {
    guard var json = reader(of: name) else { return }
    if try json.readNull() { return }
    value = try Value.read(from: &json)
  }

  private func reader(of name: StaticString) -> JSONReader? {
    members.last { name ~= $0.key }?.value
  }
}
