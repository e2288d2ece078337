internal import Scheduling

/// A user's id as a segment of a URL's path.
enum UserPath {
  /// The segment, or nil when no URL can name this user.
  ///
  /// The characters of an id need no escape, but `.` and `..` mean other places, escaped or not: a proxy that resolved
  /// them would answer with another route.
  static func segment(for user: String) -> String? {
    UserID.isValid(user) && user != "." && user != ".." ? user : nil
  }
}
