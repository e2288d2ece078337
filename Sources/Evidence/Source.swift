/// Where activities are seen: routes of the app's API, and the inbox for what no route reports.
public enum Source: UInt8, CaseIterable, Sendable {
  case lastStream, watchedStreams, lastGift, inbox, follows

  /// The route's number or `inbox`, as in the ledger and in output.
  public var name: String {
    switch self {
    case .lastStream: "603"
    case .watchedStreams: "604"
    case .lastGift: "605"
    case .inbox: "inbox"
    case .follows: "196"
    }
  }

  /// Creates the source with this name; nil if there is none.
  public init?(name: some StringProtocol) {
    guard let source = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = source
  }

  /// The kind a route reports; nil for the inbox, which reports several.
  public var polledKind: ActivityKind? {
    switch self {
    case .lastStream: .stream
    case .watchedStreams: .watch
    case .lastGift: .gift
    case .follows: .follow
    case .inbox: nil
    }
  }

  /// The three routes polled wherever there is an API.
  public static let routes: [Source] = [.lastStream, .watchedStreams, .lastGift]

  /// All routes that may be polled, including the one that only confirms what the inbox reports.
  public static let polled = routes + [.follows]
}
