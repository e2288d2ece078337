public import Evidence

/// A route that the simulated API serves.
public enum ServedRoute: Int, CaseIterable, Sendable {
  case lastStream, watchedStreams, lastGift, login, points, follows

  /// The route's number in the app's documentation.
  public var number: Int {
    switch self {
    case .lastStream: 603
    case .watchedStreams: 604
    case .lastGift: 605
    case .login: 100
    case .points: 198
    case .follows: 196
    }
  }

  /// The kind of activity that the route reports; nil if it reports something else.
  public var kind: ActivityKind? {
    switch self {
    case .lastStream: .stream
    case .watchedStreams: .watch
    case .lastGift: .gift
    case .login, .points, .follows: nil
    }
  }

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

  private static let starts: [(ServedRoute, String)] = [
    (.lastStream, "/api/v1/channel/streaming/date/"),
    (.watchedStreams, "/api/v1/channel/watch/streaming/"),
    (.lastGift, "/api/v1/yell/info/get/"),
  ]
}
