extension JSONWriter {
  /// Writes a member whose value is a string or null.
  public mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  /// Writes a member whose value is a whole number.
  public mutating func member(_ name: String, _ value: some BinaryInteger) {
    key(name)
    int(value)
  }

  /// Writes a member whose value is true or false.
  public mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// Writes a member whose value is an array of strings.
  public mutating func member(_ name: String, _ values: [String]) {
    key(name)
    beginArray()
    for value in values { string(value) }
    endArray()
  }

  /// Writes a member whose value is an object, filled by `members`.
  public mutating func object(_ name: String, _ members: (inout JSONWriter) -> Void) {
    key(name)
    beginObject()
    members(&self)
    endObject()
  }
}
