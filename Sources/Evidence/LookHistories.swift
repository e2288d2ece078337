/// The three routes' histories of one user, as they are kept for days that are not closed yet.
public struct LookHistories: Hashable, Sendable {
  private var lastStream = RouteHistory()
  private var watchedStreams = RouteHistory()
  private var lastGift = RouteHistory()

  /// No look was made yet.
  public init() {}

  /// The history of a route; the inbox has none.
  public subscript(route: Source) -> RouteHistory {
    get {
      switch route {
      case .lastStream: lastStream
      case .watchedStreams: watchedStreams
      case .lastGift: lastGift
      case .inbox: RouteHistory()
      }
    }
    set {
      switch route {
      case .lastStream: lastStream = newValue
      case .watchedStreams: watchedStreams = newValue
      case .lastGift: lastGift = newValue
      case .inbox: break
      }
    }
  }
}
