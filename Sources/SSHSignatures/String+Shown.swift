extension String {
  /// The text for use in a message: quoted, at most 64 characters, control characters replaced.
  var shown: String {
    let limit = 64
    let plain = String(
      String.UnicodeScalarView(
        unicodeScalars.prefix(limit).map { $0.properties.isPlain ? $0 : "\u{FFFD}" }))
    return "\"\(plain)\(unicodeScalars.count > limit ? "…" : "")\""
  }
}

extension Unicode.Scalar.Properties {
  /// Whether a terminal merely shows the character.
  fileprivate var isPlain: Bool {
    switch generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
