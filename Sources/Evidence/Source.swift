/// Where evidence comes from: the API's routes, and the inbox for the rest.
///
/// A new route is a case with the next number and a row of the table below it; what its answers look like is a row of
/// the API's own table.
public enum Source: UInt8, CaseIterable, Sendable {
  // The numbers stand in snapshots and polls on disk. None may change or be used again.
  case lastStream = 0
  case watchedStreams = 1
  case lastGift = 2
  case inbox = 3
  case follows = 4

  /// How much of a user's past a route's answer shows.
  public enum Extent: Sendable {
    /// The last activity only.
    case last
    /// All activities.
    case all
    /// How many activities there were.
    case count
  }

  /// What distinguishes one source from another: its name, and for a route the kind and the extent it reports.
  private var row: (name: String, kind: ActivityKind?, extent: Extent?) {
    switch self {
    case .lastStream: ("603", .stream, .last)
    case .watchedStreams: ("604", .watch, .all)
    case .lastGift: ("605", .gift, .last)
    case .inbox: ("inbox", nil, nil)
    case .follows: ("196", .follow, .count)
    }
  }

  /// The route's number or `inbox`, as in the ledger and in output.
  public var name: String { row.name }
  /// The kind a route reports; nil for the inbox, which reports several.
  public var polledKind: ActivityKind? { row.kind }
  /// How much of a user's past a route's answer shows; nil for the inbox.
  public var extent: Extent? { row.extent }

  /// Creates the source with this name; nil if there is none.
  public init?(name: some StringProtocol) {
    guard let source = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = source
  }

  /// The routes polled wherever there is an API.
  public static let routes = polled.filter { !$0.isCounter }

  /// The routes that only confirm what the inbox reports.
  public static let counters = polled.filter(\.isCounter)

  /// Whether it reports only a count.
  public var isCounter: Bool { extent == .count }

  /// All routes that may be polled, including those that only confirm what the inbox reports.
  public static let polled = allCases.filter { $0.polledKind != nil }
}
