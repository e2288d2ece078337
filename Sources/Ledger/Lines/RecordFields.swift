internal import StrictJSON

/// How a record's own fields stand in its line: written in a fixed order, read in any.
protocol RecordFields {
  /// Writes the fields that follow `type`.
  func write(to line: inout LineWriter)
  /// Reads the record from the object that stands next; fields of no meaning are passed over.
  init(reading reader: inout JSONReader) throws(JSONError)
}
