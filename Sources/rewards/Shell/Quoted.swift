/// Texts as a shell reads them.
enum Quoted {
  /// Returns one word of a command line, in quotes where it needs them.
  static func word(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789/._-+:@%,".unicodeScalars.contains(scalar))
    }
    return isPlain && !text.isEmpty ? text : always(text)
  }

  /// Returns one word of a command line, in quotes.
  static func always(_ text: String) -> String {
    "'\(text.replacing("'", with: "'\\''"))'"
  }
}
