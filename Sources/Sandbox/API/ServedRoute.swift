package import Evidence

/// A route that the simulated API serves.
package enum ServedRoute: Int, CaseIterable, Sendable {
  case lastStream, watchedStreams, lastGift, login, points, follows

  /// How a route reports activities.
  struct Activities {
    let kind: ActivityKind
    /// The path that the user's id ends.
    let path: String
    /// Whether it reports all activities, in a list, or only the last.
    var isList = false
    /// The fields with a number that nobody needs, each with the first number that is too large for it.
    var numbers: [(name: String, limit: Int64)] = []
    /// The field with the beginning.
    let start: String
    /// The field with the end; nil for an activity without duration.
    var end: String?
  }

  /// The route's number in the app's documentation, and how it reports activities; nil if it reports something else.
  private var row: (number: Int, activities: Activities?) {
    switch self {
    case .lastStream:
      (
        603,
        Activities(
          kind: .stream, path: "/api/v1/channel/streaming/date/", start: "live_start_at",
          end: "live_end_at")
      )
    case .watchedStreams:
      (
        604,
        Activities(
          kind: .watch, path: "/api/v1/channel/watch/streaming/", isList: true,
          start: "subscribe_start_at", end: "subscribe_end_at")
      )
    case .lastGift:
      (
        605,
        Activities(
          kind: .gift, path: "/api/v1/yell/info/get/",
          numbers: [("gift_id", 997), ("userId_recieved_gift", 9_973)], start: "created_at")
      )
    case .login: (100, nil)
    case .points: (198, nil)
    case .follows: (196, nil)
    }
  }

  /// The route's number in the app's documentation.
  package var number: Int { row.number }
  /// How the route reports activities; nil if it reports something else.
  var activities: Activities? { row.activities }
  /// The kind of activity that the route reports; nil if it reports something else.
  package var kind: ActivityKind? { activities?.kind }

  /// Returns a request's route and the user it is about; nil if there is no such route.
  static func find(method: String, path: String, userArgument: (String) -> String?)
    -> (route: ServedRoute, user: String)?
  {
    guard method == "GET" else {
      return method == "POST" && path == "/api/v1/liver/login" ? (.login, "") : nil
    }
    for (route, start) in Self.starts where path.hasPrefix(start) {
      // Compares bytes: counting characters would cost more than the rest of an answer.
      let user = path.utf8.dropFirst(start.utf8.count)
      return (route, String(Substring(user)))
    }
    switch path {
    case "/api/v1/user/point": return (.points, userArgument("id") ?? "")
    case "/api/v1/liver/follow": return (.follows, userArgument("user_id") ?? "")
    default: return nil
    }
  }

  private static let starts = allCases.compactMap { route in
    route.activities.map { (route, $0.path) }
  }
}
