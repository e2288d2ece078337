public import StrictJSON

/// One field of an object, as its description tells.
struct LineField: Sendable {
  /// Whether, and how, the field may be missing.
  enum Presence: Sendable {
    case always, optional, nullable
  }

  let name: StaticString
  let shape: JSONShape
  let presence: Presence
}

/// The fields of an object, in their order.
func fields<Object: LineObject>(of type: Object.Type) -> [LineField] {
  var collector = FieldCollector()
  var blank = Object()
  // A collector never throws.
  try? blank.describe(&collector)
  return collector.fields
}

/// The fields' names, in their order.
func fieldNames<Object: LineObject>(of type: Object.Type) -> FieldNames {
  var collector = FieldCollector(takesShapes: false)
  var blank = Object()
  try? blank.describe(&collector)
  return FieldNames(collector.fields.map(\.name))
}

extension RecordType {
  /// What a line of this type may hold.
  public var shape: JSONShape {
    let frame: [JSONShape.Field] = [
      .init("seq", .integer(nil)), .init("at", .text(.instant)), .init("type", .word(rawValue)),
    ]
    guard case .object(let own) = schema.shape else { return .object(frame) }
    return .object(frame + own)
  }
}

extension JSONShape.Field {
  init(_ field: LineField) {
    self.init(
      "\(field.name)", field.presence == .nullable ? field.shape.orNull : field.shape,
      isOptional: field.presence == .optional)
  }
}

/// Notes each field of an object.
private struct FieldCollector: FieldCoder {
  /// Names alone are needed to read an object, whose shape may hold objects of its own kind.
  var takesShapes = true
  private(set) var fields: [LineField] = []

  init(takesShapes: Bool = true) { self.takesShapes = takesShapes }

  private mutating func note<Value: LineValue>(
    _ name: StaticString, _ type: Value.Type, _ presence: LineField.Presence
  ) {
    fields.append(
      LineField(name: name, shape: takesShapes ? type.shape : .any, presence: presence))
  }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(JSONError) { note(name, Value.self, .always) }

  mutating func field<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) { note(name, Value.self, .optional) }

  mutating func field<Value: LineValue & Equatable>(
    _ name: StaticString, _ value: inout Value, unless usual: Value
  ) throws(JSONError) { note(name, Value.self, .optional) }

  mutating func nullable<Value: LineValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) { note(name, Value.self, .nullable) }
}
