/// How results are printed.
enum OutputFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// One JSON document and nothing else.
  case json
}
