/// A user's id as a segment of a URL's path.
enum UserPath {
  /// Whether `user` is 1 to 64 characters of `[A-Za-z0-9_.-]`.
  static func isUserID(_ user: String) -> Bool {
    (1...64).contains(user.utf8.count) && user.utf8.allSatisfy(isPlain)
  }

  /// The segment, or nil when no URL can name this user.
  ///
  /// The characters of an id need no escape, but `.` and `..` mean other places, escaped or not: a proxy that resolved
  /// them would answer with another route.
  static func segment(for user: String) -> String? {
    isUserID(user) && user != "." && user != ".." ? user : nil
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
