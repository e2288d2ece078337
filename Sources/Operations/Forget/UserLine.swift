import StrictJSON

/// Recognises the lines of a user in files of JSON lines.
enum UserLine {
  /// Whether a line is about a user.
  enum Answer {
    case yes
    case no
    /// The line cannot be read, and the id stands in it.
    case perhaps
  }

  /// Returns texts of which each line that names `user` contains one: the id, or the beginning of an escaped letter.
  static func marks(of user: String) -> [[UInt8]] { [Array(user.utf8), Array("\\u00".utf8)] }

  /// Returns whether the member `user` of the object on `line` is `user`, as a text or a number.
  static func names(_ user: String, _ line: [UInt8]) -> Answer {
    guard let node = try? JSONNode.parse(line) else {
      return holds(user, line) ? .perhaps : .no
    }
    return id(in: node) == user ? .yes : .no
  }

  /// Returns whether the rejected line that `line` holds as `text` is about `user`.
  static func namesRejected(_ user: String, _ line: [UInt8]) -> Answer {
    guard let text = (try? JSONNode.parse(line))?["text"]?.string else { return .no }
    return names(user, Array(text.utf8))
  }

  private static func id(in node: JSONNode) -> String? {
    node["user"].flatMap { $0.string ?? $0.int.map(String.init) }
  }

  /// Returns whether `user` stands in `line` as a whole word of the characters that an id may have.
  private static func holds(_ user: String, _ line: [UInt8]) -> Bool {
    line.split { byte in
      let letter = byte | 0x20
      let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter
      let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
      return !isLetter && !isDigit && !"_.-".utf8.contains(byte)
    }.contains { $0.elementsEqual(user.utf8) }
  }
}
