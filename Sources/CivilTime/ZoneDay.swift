/// A date in a zone, written `Asia/Tokyo/2026-11-23`.
public struct ZoneDay: Hashable, Sendable, LosslessStringConvertible {
  /// The IANA zone.
  public let zone: String
  /// The date there.
  public let day: Day

  /// Creates a date in a zone.
  public init(_ zone: String, _ day: Day) {
    self.zone = zone
    self.day = day
  }

  /// Parses a zone and a date; nil for anything else.
  public init?(_ description: String) {
    // Names of zones hold slashes, dates do not.
    guard let slash = description.lastIndex(of: "/"),
      let day = Day(String(description[description.index(after: slash)...]))
    else { return nil }
    self.init(String(description[..<slash]), day)
  }

  /// The zone and the date, as in the subjects of acts and troubles.
  public var description: String { "\(zone)/\(day)" }
}
