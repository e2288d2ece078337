import StrictJSON

extension LineWriter {
  /// Writes a value that is JSON already, after checking that it is one object on one line.
  mutating func json(_ text: String) {
    var text = text
    let problem: String? = text.withUTF8 { utf8 in
      if utf8.contains(where: { $0 < 0x20 }) { return "it holds a line break or a tab" }
      // One level less than a line may have: the line itself is one.
      var reader = JSONReader(utf8, depthLimit: 31)
      do throws(JSONError) {
        if try reader.peek() != .object { return "it is not an object" }
        try reader.skipValue()
        try reader.finish()
        return nil
      } catch {
        return error.description
      }
    }
    if let problem { return refuse("the document cannot stand in a line: \(problem)") }
    raw(Array(text.utf8))
  }
}
