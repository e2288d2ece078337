import Foundation

/// Formats numbers for people.
enum Figure {
  /// Formats a count with three significant digits: `61,200`, `5.3 million`.
  static func count(_ number: Double) -> String {
    if number >= 1e6 { return "\(digits(number / 1e6)) million" }
    if number < 1_000 { return digits(number) }
    let step = number >= 100_000 ? 1_000.0 : number >= 10_000 ? 100 : 10
    let rounded = Int((number / step).rounded() * step)
    return "\(rounded / 1_000),\(String(String(rounded % 1_000 + 1_000).dropFirst()))"
  }

  /// Formats a time: `1.23 s`, `45.6 ms`, `7.8 µs`.
  static func time(_ seconds: Double) -> String {
    if seconds >= 1 { return "\(digits(seconds)) s" }
    if seconds >= 1e-3 { return "\(digits(seconds * 1e3)) ms" }
    return seconds >= 1e-6 ? "\(digits(seconds * 1e6)) µs" : "\(digits(seconds * 1e9)) ns"
  }

  /// Formats a ratio: `0.43`.
  static func ratio(_ ratio: Double) -> String { String(format: "%.2f", ratio) }

  /// Formats a size: `131 MiB`.
  static func mebibytes(_ bytes: Int) -> String { "\(digits(Double(bytes) / 1_048_576)) MiB" }

  private static func digits(_ number: Double) -> String {
    let places = number >= 100 ? 0 : number >= 10 ? 1 : 2
    return String(format: "%.\(places)f", number)
  }
}
