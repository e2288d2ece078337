internal import Scheduling

/// Writes a user's id as a segment of a URL's path.
enum UserPath {
  /// Returns the segment, or nil if no URL can name this user.
  ///
  /// The characters of an id need no escape, but `.` and `..` mean other places, even escaped: a proxy that resolves them would
  /// answer with another route.
  static func segment(for user: String) -> String? {
    UserID.isValid(user) && user != "." && user != ".." ? user : nil
  }
}
