/// A number with what it counts.
enum Counted {
  /// Returns e.g. `1 line` or `2 lines`; `many` is the plural that an s does not make.
  static func text(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
  }
}
