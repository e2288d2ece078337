internal import CivilTime

/// Checks time zone names, so that a name can never become another path.
enum ZoneName {
  private static let longest = 100
  /// Copies of the database with other time scales, and files that hold this machine's preference.
  private static let foreign: Set<String> = ["posix", "right", "localtime", "posixrules"]

  /// Throws unless `name` is one or more components of `[A-Za-z0-9+_-]`, separated by single slashes.
  static func check(_ name: String) throws(ZoneError) {
    guard !name.isEmpty, name.utf8.count <= longest, name.utf8.allSatisfy(isAllowed),
      !name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .contains(where: { $0.isEmpty })
    else {
      throw ZoneError(name: name, what: "not a time zone name; use an IANA name such as Asia/Tokyo")
    }
    guard !isForeign(name) else {
      throw ZoneError(
        name: name, what: "not a zone in its own right; use the IANA name of the zone you mean")
    }
  }

  /// Returns whether the first component of `name` is neither a zone nor a region.
  private static func isForeign(_ name: String) -> Bool {
    foreign.contains(String(name.prefix { $0 != "/" }))
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "_"),
      UInt8(ascii: "-"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
