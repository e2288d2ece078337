internal import Evidence

/// How the API serves one route.
struct Endpoint {
  /// The fields of an object that reports one activity.
  struct ActivityFields {
    /// The field with the beginning.
    let start: StaticString
    /// The field with the end, null while it lasts; nil if the kind has no duration.
    var end: StaticString?
    /// A field that is null unless there was an activity.
    var presence: StaticString?
  }

  /// What an answer holds.
  enum Content {
    /// An object, or a list of objects if the route shows all activities.
    case activities(ActivityFields)
    /// An object with this numeric field.
    case count(StaticString)
  }

  /// The path behind the base URL, which the user's id ends.
  let path: String
  /// What an answer holds.
  let content: Content
}

extension CheerCall.Route {
  /// How the API serves the route; nil for the login, which is about no user, and for the inbox, which is no route.
  var endpoint: Endpoint? {
    switch self {
    case .source(let source): source.endpoint
    case .coins: Endpoint(path: "/user/point?id=", content: .count("amount"))
    case .login: nil
    }
  }
}

extension Source {
  /// How the API serves the route; nil for the inbox.
  var endpoint: Endpoint? {
    switch self {
    case .lastStream:
      Endpoint(
        path: "/channel/streaming/date/",
        content: .activities(.init(start: "live_start_at", end: "live_end_at")))
    case .watchedStreams:
      Endpoint(
        path: "/channel/watch/streaming/",
        content: .activities(.init(start: "subscribe_start_at", end: "subscribe_end_at")))
    case .lastGift:
      Endpoint(
        path: "/yell/info/get/",
        content: .activities(.init(start: "created_at", presence: "gift_id")))
    case .follows: Endpoint(path: "/liver/follow?user_id=", content: .count("total_count"))
    case .inbox: nil
    }
  }
}
