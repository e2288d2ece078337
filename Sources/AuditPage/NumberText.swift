/// Formats numbers for people, the same in every country: commas for thousands, units after the number.
enum NumberText {
  /// Formats a number like `1,234,567`; negative ones get a real minus sign.
  static func grouped(_ number: some BinaryInteger) -> String {
    let digits = Array(String(number.magnitude).utf8)
    var text: [UInt8] = []
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(UInt8(ascii: ",")) }
      text.append(digit)
    }
    return (number < 0 ? "\u{2212}" : "") + String(decoding: text, as: UTF8.self)
  }

  /// Formats a number with its noun, like `1 finding` or `2 findings`.
  static func counted(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Formats a round number for a plot's scale: `800`, `2.5k`, `4M`.
  static func compact(_ number: Double) -> String {
    let units = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")]
    let (unit, name) = units.first { number >= $0.0 } ?? (1, "")
    let tenths = Int((number / unit * 10).rounded())
    return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + name
  }

  /// Formats a part of a whole, like `37%`.
  static func share(of part: Double, in whole: Double) -> String {
    guard part > 0, whole > 0 else { return "0%" }
    let percent = part / whole * 100
    return percent < 1 ? "<1%" : "\(Int(percent.rounded()))%"
  }

  /// Formats a duration in its two largest units, like `2 h 5 min`.
  static func duration(seconds: Int64) -> String {
    let units: [(seconds: UInt64, name: String)] = [(86_400, "d"), (3_600, "h"), (60, "min")]
    let magnitude = seconds.magnitude
    guard let index = units.firstIndex(where: { magnitude >= $0.seconds }) else {
      return "\(grouped(seconds)) s"
    }
    let unit = units[index]
    let lesser = index + 1 < units.count ? units[index + 1] : (seconds: 1, name: "s")
    let rest = magnitude % unit.seconds / lesser.seconds
    let whole = "\(seconds < 0 ? "\u{2212}" : "")\(grouped(magnitude / unit.seconds)) \(unit.name)"
    return rest == 0 ? whole : "\(whole) \(rest) \(lesser.name)"
  }

  /// Formats a share, 0 to 1, as a CSS or SVG length, exact to a thousandth of a percent: `12.345%`.
  static func percentLength(_ share: Double) -> String {
    guard share.isFinite else { return "0%" }
    let thousandths = Int((min(max(share, 0), 1) * 100_000).rounded())
    let fraction = String(thousandths % 1_000)
    let zeros = String(repeating: "0", count: 3 - fraction.utf8.count)
    return "\(thousandths / 1_000).\(zeros)\(fraction)%"
  }
}
