internal import CivilTime

/// A way in which the app's API writes an instant; each is exact to the second.
enum TimeStyle: CaseIterable {
  case mysql
  case mysqlWithFraction
  case isoWithoutZone
  case isoUTC
  case isoUTCWithFraction
  case isoUTCWithLongFraction
  case isoAtAPIOffset
  case isoWestOfGreenwich
  case isoAtOddOffset

  /// Returns `instant`, a whole second, in this style; texts without a zone use the API's.
  func text(of instant: Instant, apiOffsetSeconds: Int32) -> String {
    switch self {
    case .mysql: naive(instant, apiOffsetSeconds, separator: " ")
    case .mysqlWithFraction: naive(instant, apiOffsetSeconds, separator: " ") + ".000000"
    case .isoWithoutZone: naive(instant, apiOffsetSeconds, separator: "T")
    case .isoUTC: naive(instant, 0, separator: "T") + "Z"
    case .isoUTCWithFraction: naive(instant, 0, separator: "T") + ".000Z"
    case .isoUTCWithLongFraction: naive(instant, 0, separator: "T") + ".000000000000000000Z"
    case .isoAtAPIOffset: zoned(instant, apiOffsetSeconds)
    case .isoWestOfGreenwich: zoned(instant, -12_600)
    case .isoAtOddOffset: zoned(instant, 20_700)
    }
  }

  private func naive(_ instant: Instant, _ offsetSeconds: Int32, separator: String) -> String {
    let text = zoned(instant, offsetSeconds)
    return "\(text.prefix(10))\(separator)\(text.dropFirst(11).prefix(8))"
  }

  private func zoned(_ instant: Instant, _ offsetSeconds: Int32) -> String {
    InstantFormat.text(of: instant, fraction: .asNeeded, offsetSeconds: offsetSeconds)
  }
}
