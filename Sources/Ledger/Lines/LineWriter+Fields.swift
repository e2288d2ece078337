extension LineWriter {
  /// Writes a member of an object.
  mutating func member(_ name: StaticString, _ value: some LineValue) {
    self.name(name)
    value.write(to: &self)
  }
}
