import Ledger

/// Which events a sink is sent: types or groups of them, for all users or a share.
public struct EventFilter: Sendable, Equatable {
  /// What is told of records, without the beginning and the end that all types share.
  public static let recordTypes = [
    "reward.granted", "reward.reversed", "streak.extended", "streak.broken", "streak.held",
    "streak.repaired", "streak.at-risk", "level.reached", "backfill.summary", "day.closed",
  ]
  /// A user's whole state.
  public static let accountType = "account.changed"
  /// What the types of events about the service itself begin with.
  static let operationsPrefix = "operations."
  /// Several types in a word.
  public static let groups = ["rewards", "account", "operations"]

  private var types: Set<String>
  /// Whether states of accounts are wanted.
  public private(set) var wantsAccounts: Bool
  /// Whether events about the service itself are wanted.
  public private(set) var wantsOperations: Bool
  /// Of how many users in a hundred events are wanted; the same users always.
  public var usersPercent = 100

  /// Everything that is told of records, of all users.
  public static let rewards = EventFilter(
    types: Set(recordTypes), wantsAccounts: false, wantsOperations: false)

  /// The filter for these types and groups; or the first that is neither.
  public static func parse(_ names: [String]) -> Result<EventFilter, UnknownName> {
    var filter = EventFilter(types: [], wantsAccounts: false, wantsOperations: false)
    for name in names {
      switch name {
      case "rewards": filter.types.formUnion(recordTypes)
      case "account", accountType: filter.wantsAccounts = true
      case "operations": filter.wantsOperations = true
      default:
        guard recordTypes.contains(name) else { return .failure(UnknownName(name: name)) }
        filter.types.insert(name)
      }
    }
    return .success(filter)
  }

  /// A name that is neither a type nor a group.
  public struct UnknownName: Error, Sendable, Equatable {
    /// The name.
    public let name: String
    /// What it could be.
    public static let known = groups + recordTypes + [accountType]
  }

  /// Whether an event that was made of a record is wanted.
  func wants(_ event: CloudEvent) -> Bool {
    let name = event.type.dropFirst(EventType.prefix.count).dropLast(EventType.suffix.count)
    if name.hasPrefix(Self.operationsPrefix) { return wantsOperations }
    return types.contains(String(name)) && (event.subject.map { includes($0) } ?? true)
  }

  /// Whether the sink is told of a user's grants.
  public func wantsGrants(of user: String) -> Bool {
    types.contains("reward.granted") && includes(user)
  }

  /// Whether anything at all is wanted of a user.
  func includes(_ user: String) -> Bool {
    usersPercent >= 100 || UserChoice.shares(usersPercent, of: 100).includes(user)
  }
}

extension EventFilter: CustomStringConvertible {
  /// All of it on a line, the same for filters that want the same.
  public var description: String {
    let groups = (wantsAccounts ? [Self.accountType] : []) + (wantsOperations ? ["operations"] : [])
    return (types.sorted() + groups + ["\(usersPercent) %"]).joined(separator: ", ")
  }
}

/// How types of events are named.
enum EventType {
  static let prefix = "com.cheer-supports."
  static let suffix = ".v1"

  /// The full name of a type.
  static func full(_ name: String) -> String { prefix + name + suffix }
}
