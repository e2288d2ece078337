/// A time zone in which simulated users live.
///
/// The offset only shapes habits ("around midnight"), so the winter offset is enough: the zone's real rules decide elsewhere what
/// a day is.
struct HomeZone: Sendable {
  let name: String
  let weight: Int
  let offsetSeconds: Int64

  /// Most users live where the app does; the others live where clocks are unusual.
  static let all: [HomeZone] = [
    HomeZone(name: "Asia/Tokyo", weight: 40, offsetSeconds: 32_400),
    HomeZone(name: "America/New_York", weight: 8, offsetSeconds: -18_000),
    HomeZone(name: "America/Los_Angeles", weight: 6, offsetSeconds: -28_800),
    HomeZone(name: "America/Chicago", weight: 4, offsetSeconds: -21_600),
    HomeZone(name: "Europe/London", weight: 5, offsetSeconds: 0),
    HomeZone(name: "Europe/Berlin", weight: 5, offsetSeconds: 3_600),
    HomeZone(name: "Europe/Paris", weight: 4, offsetSeconds: 3_600),
    HomeZone(name: "Africa/Cairo", weight: 4, offsetSeconds: 7_200),
    HomeZone(name: "America/Santiago", weight: 4, offsetSeconds: -14_400),
    HomeZone(name: "America/Havana", weight: 2, offsetSeconds: -18_000),
    HomeZone(name: "America/St_Johns", weight: 3, offsetSeconds: -12_600),
    HomeZone(name: "Asia/Kathmandu", weight: 3, offsetSeconds: 20_700),
    HomeZone(name: "Asia/Kolkata", weight: 3, offsetSeconds: 19_800),
    HomeZone(name: "Australia/Lord_Howe", weight: 3, offsetSeconds: 37_800),
    HomeZone(name: "Pacific/Apia", weight: 3, offsetSeconds: 46_800),
    HomeZone(name: "Pacific/Kiritimati", weight: 3, offsetSeconds: 50_400),
    HomeZone(name: "Pacific/Honolulu", weight: 1, offsetSeconds: -36_000),
    HomeZone(name: "Pacific/Marquesas", weight: 1, offsetSeconds: -34_200),
    HomeZone(name: "America/Anchorage", weight: 1, offsetSeconds: -32_400),
    HomeZone(name: "America/Phoenix", weight: 1, offsetSeconds: -25_200),
    HomeZone(name: "America/Denver", weight: 1, offsetSeconds: -25_200),
    HomeZone(name: "America/Mexico_City", weight: 1, offsetSeconds: -21_600),
    HomeZone(name: "America/Bogota", weight: 1, offsetSeconds: -18_000),
    HomeZone(name: "America/Caracas", weight: 1, offsetSeconds: -14_400),
    HomeZone(name: "America/Sao_Paulo", weight: 1, offsetSeconds: -10_800),
    HomeZone(name: "America/Asuncion", weight: 1, offsetSeconds: -10_800),
    HomeZone(name: "America/Nuuk", weight: 1, offsetSeconds: -7200),
    HomeZone(name: "Atlantic/Azores", weight: 1, offsetSeconds: -3600),
    HomeZone(name: "Africa/Casablanca", weight: 1, offsetSeconds: 3600),
    HomeZone(name: "Africa/Lagos", weight: 1, offsetSeconds: 3600),
    HomeZone(name: "Europe/Istanbul", weight: 1, offsetSeconds: 10_800),
    HomeZone(name: "Asia/Beirut", weight: 1, offsetSeconds: 7200),
    HomeZone(name: "Asia/Tehran", weight: 1, offsetSeconds: 12_600),
    HomeZone(name: "Asia/Dubai", weight: 1, offsetSeconds: 14_400),
    HomeZone(name: "Asia/Kabul", weight: 1, offsetSeconds: 16_200),
    HomeZone(name: "Asia/Karachi", weight: 1, offsetSeconds: 18_000),
    HomeZone(name: "Asia/Dhaka", weight: 1, offsetSeconds: 21_600),
    HomeZone(name: "Asia/Yangon", weight: 1, offsetSeconds: 23_400),
    HomeZone(name: "Asia/Bangkok", weight: 1, offsetSeconds: 25_200),
    HomeZone(name: "Asia/Shanghai", weight: 1, offsetSeconds: 28_800),
    HomeZone(name: "Australia/Eucla", weight: 1, offsetSeconds: 31_500),
    HomeZone(name: "Australia/Adelaide", weight: 1, offsetSeconds: 37_800),
    HomeZone(name: "Australia/Sydney", weight: 1, offsetSeconds: 39_600),
    HomeZone(name: "Pacific/Auckland", weight: 1, offsetSeconds: 46_800),
    HomeZone(name: "Pacific/Chatham", weight: 1, offsetSeconds: 49_500),
  ]
}
