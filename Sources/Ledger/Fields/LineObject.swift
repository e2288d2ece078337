internal import StrictJSON

/// An object of a line that describes its fields once: writing, reading, the columns of a table and the JSON Schema follow
/// from that.
protocol LineObject: LineValue {
  /// An object of blanks, to be read into.
  init()
  /// Hands each field to `coder`, in the order in which they stand in a line: always all of them, for a reader knows them by
  /// their places.
  mutating func describe<Coder: FieldCoder & ~Copyable>(_ coder: inout Coder) throws(JSONError)
  /// The fields' names: ``fieldNames(of:)``, kept.
  static var names: FieldNames { get }
}

/// Does something with each field of an object.
protocol FieldCoder: ~Copyable {
  /// A field that every line has.
  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(JSONError)
  /// A field that is left out when there is nothing to say.
  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError)
  /// A field that is left out when it is as usual.
  mutating func field<Value: LineValue & Equatable>(
    _ name: StaticString, _ value: inout Value, unless usual: Value
  ) throws(JSONError)
  /// A field that is `null` when there is nothing to say.
  mutating func nullable<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError)
}

extension LineObject {
  static var blank: Self { Self() }
  static var shape: JSONShape { .object(fields(of: Self.self).map { JSONShape.Field($0) }) }

  func write(to line: inout LineWriter) {
    line.raw("{")
    writeFields(to: &line)
    line.raw("}")
  }

  /// Writes the fields without the braces.
  func writeFields(to line: inout LineWriter) {
    var copy = self
    // A writer notes what it cannot write; it never throws.
    try? copy.describe(&line)
  }

  static func read(from json: inout JSONReader) throws(JSONError) -> Self {
    try read(from: &json, after: nil)
  }

  /// Reads the object that stands next in `json`; `frame` stands in it behind the frame of a line.
  static func read(
    from json: inout JSONReader, after frame: JSONReader?
  ) throws(JSONError) -> Self {
    var fields = FieldReader(frame ?? json, names: names)
    try fields.begin(isBehindFrame: frame != nil)
    var object = Self()
    try object.describe(&fields)
    if fields.finish(&json) { return object }
    // Somebody wrote the fields in another order, or one is missing, or stands twice: each is looked up.
    var table = try FieldTable(&json)
    object = Self()
    try object.describe(&table)
    return object
  }
}

extension LineWriter: FieldCoder {
  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(JSONError) {
    self.name(name)
    value.write(to: &self)
  }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) {
    guard let value else { return }
    self.name(name)
    value.write(to: &self)
  }

  mutating func field<Value: LineValue & Equatable>(
    _ name: StaticString, _ value: inout Value, unless usual: Value
  ) throws(JSONError) {
    if value == usual { return }
    self.name(name)
    value.write(to: &self)
  }

  mutating func nullable<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) {
    self.name(name)
    if let value { value.write(to: &self) } else { raw("null") }
  }
}
