import Foundation

/// Numbers as people read them.
enum Figure {
  /// `61,200`, `5.3 million`: three digits that count.
  static func count(_ number: Double) -> String {
    if number >= 1e6 { return "\(digits(number / 1e6)) million" }
    if number < 1_000 { return digits(number) }
    let step = number >= 100_000 ? 1_000.0 : number >= 10_000 ? 100 : 10
    let rounded = Int((number / step).rounded() * step)
    return "\(rounded / 1_000),\(String(String(rounded % 1_000 + 1_000).dropFirst()))"
  }

  /// `1.23 s`, `45.6 ms`, `7.8 µs`.
  static func time(_ seconds: Double) -> String {
    if seconds >= 1 { return "\(digits(seconds)) s" }
    if seconds >= 1e-3 { return "\(digits(seconds * 1e3)) ms" }
    return seconds >= 1e-6 ? "\(digits(seconds * 1e6)) µs" : "\(digits(seconds * 1e9)) ns"
  }

  /// `0.43`.
  static func ratio(_ ratio: Double) -> String { String(format: "%.2f", ratio) }

  /// `131 MiB`.
  static func mebibytes(_ bytes: Int) -> String { "\(digits(Double(bytes) / 1_048_576)) MiB" }

  private static func digits(_ number: Double) -> String {
    let places = number >= 100 ? 0 : number >= 10 ? 1 : 2
    return String(format: "%.\(places)f", number)
  }
}
