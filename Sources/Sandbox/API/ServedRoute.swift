public import Evidence

/// A route that the simulated API serves.
public enum ServedRoute: Int, CaseIterable, Sendable {
  case lastStream, watchedStreams, lastGift, login, points, follows

  /// The route's number in the app's documents.
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

  /// What the route tells of a user's life, nil when it tells something else.
  public var kind: ActivityKind? {
    switch self {
    case .lastStream: .stream
    case .watchedStreams: .watch
    case .lastGift: .gift
    case .login, .points, .follows: nil
    }
  }

  /// The route of a request and whom it asks about; nil when there is no such route.
  static func find(method: String, path: String, userArgument: (String) -> String?)
    -> (route: ServedRoute, user: String)?
  {
    let prefix = "/api/v1/"
    guard path.hasPrefix(prefix) else { return nil }
    let rest = path.dropFirst(prefix.count)
    if method == "POST" { return rest == "liver/login" ? (.login, "") : nil }
    guard method == "GET" else { return nil }
    for (route, start) in Self.starts where rest.hasPrefix(start) {
      return (route, String(rest.dropFirst(start.count)))
    }
    switch rest {
    case "user/point": return (.points, userArgument("id") ?? "")
    case "liver/follow": return (.follows, userArgument("user_id") ?? "")
    default: return nil
    }
  }

  private static let starts: [(ServedRoute, String)] = [
    (.lastStream, "channel/streaming/date/"), (.watchedStreams, "channel/watch/streaming/"),
    (.lastGift, "yell/info/get/"),
  ]
}
