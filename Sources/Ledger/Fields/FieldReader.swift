internal import StrictJSON

/// Reads an object whose fields stand in the order of their description, as this program writes them.
///
/// Fields of no meaning are passed over. Finds out, but does not deal with it, when the order is another one, or a field stands
/// twice.
struct FieldReader: FieldCoder {
  private var json: JSONReader
  private let names: FieldNames
  /// Whether it stands behind the frame of a line, whose fields must not come again.
  private var isBehindFrame = false
  /// The fields before this one have had their turn.
  private var position = 0
  /// Which of the fields stands next; behind the last of them at the end of the object.
  private var next = 0
  private var isDisordered = false

  /// A reader of the object that stands next in `json`.
  init(_ json: JSONReader, names: FieldNames) {
    self.json = json
    self.names = names
  }

  /// Goes to the first field; `isBehindFrame` when the reader stands in the object, behind the frame of a line.
  mutating func begin(isBehindFrame: Bool) throws(JSONError) {
    self.isBehindFrame = isBehindFrame
    if !isBehindFrame { try json.beginObject() }
    try readKey(isFirst: !isBehindFrame)
  }

  /// Ends the object; when its order was as described, `reader` stands behind it and true is returned.
  mutating func finish(_ reader: inout JSONReader) -> Bool {
    if isDisordered || next < names.count { return false }
    reader = json
    return true
  }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(JSONError) {
    if stands(name, isNeeded: true) { value = try readValue() }
  }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) {
    if stands(name, isNeeded: false) { value = try readValue() }
  }

  mutating func field<Value: LineValue & Equatable>(
    _ name: StaticString, _ value: inout Value, unless usual: Value
  ) throws(JSONError) {
    value = stands(name, isNeeded: false) ? try readValue() : usual
  }

  mutating func nullable<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) {
    guard stands(name, isNeeded: false) else { return }
    if try json.readNull() {
      try readKey(isFirst: false)
    } else {
      value = try readValue()
    }
  }

  private mutating func readValue<Value: LineValue>() throws(JSONError) -> Value {
    let value = try Value.read(from: &json)
    try readKey(isFirst: false)
    return value
  }

  /// Whether the field `name`, whose turn it is, stands next.
  private mutating func stands(_ name: StaticString, isNeeded: Bool) -> Bool {
    let place = position
    position += 1
    assert(names.holds(name, at: place), "fields are described in another order")
    if isDisordered { return false }
    if next == place { return true }
    isDisordered = isNeeded || next < place
    return false
  }

  /// Reads on to the next name that means something.
  private mutating func readKey(isFirst: Bool) throws(JSONError) {
    // Nearly always it is one of the next few, just as it was written.
    for place in position..<min(position + 4, names.count)
    where json.takeKey(names.name(at: place), isFirst: isFirst) {
      next = place
      return
    }
    var isFirst = isFirst
    while let key = try json.readKey(isFirst: isFirst) {
      if let place = names.place(of: key, from: position) {
        next = place
        return
      }
      if isBehindFrame, RecordType.frameNames.contains(where: { $0 ~= key }) { isDisordered = true }
      try json.skipValue()
      isFirst = false
    }
    next = names.count
  }
}

/// The names of an object's fields, in their order: one for each type of object, for the life of the process. So no line that is read
/// counts references to them, and nothing frees them.
struct FieldNames: Sendable {
  // Written in `init` only.
  nonisolated(unsafe) private let names: UnsafeBufferPointer<StaticString>

  init(_ names: [StaticString]) {
    let kept = UnsafeMutableBufferPointer<StaticString>.allocate(capacity: names.count)
    _ = kept.initialize(from: names)
    self.names = UnsafeBufferPointer(kept)
  }

  /// How many there are.
  var count: Int { names.count }
  /// All of them.
  var all: [StaticString] { Array(names) }

  /// The name at `place`, which must be below ``count``.
  func name(at place: Int) -> StaticString { names[place] }

  /// Whether `name` is the one at `place`.
  func holds(_ name: StaticString, at place: Int) -> Bool {
    place < count && names[place].description == name.description
  }

  /// Which of them `key` is, nil for none; those from `start` on are tried first.
  func place(of key: JSONKey, from start: Int) -> Int? {
    for place in start..<max(start, count) where names[place] ~= key { return place }
    for place in 0..<min(start, count) where names[place] ~= key { return place }
    return nil
  }
}

/// Looks the fields of an object up, in whatever order they stand.
struct FieldTable: FieldCoder {
  private var members: [(key: JSONKey, value: JSONReader)] = []
  private let end: JSONReader

  /// Takes in the object that stands next; throws when two members have one name, for readers would choose either.
  init(_ json: inout JSONReader) throws(JSONError) {
    var members: [(key: JSONKey, value: JSONReader)] = []
    var names: Set<String> = []
    try json.readObject { (json, key) throws(JSONError) in
      let name = try key.text()
      guard names.insert(name).inserted else { throw .twice(name, at: key.offset) }
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
    members.first { name ~= $0.key }?.value
  }
}

extension JSONError {
  /// That a field of an object stands in it twice.
  static func twice(_ name: String, at offset: Int) -> JSONError {
    JSONError(offset: offset, what: "the field \"\(name)\" stands twice")
  }
}
