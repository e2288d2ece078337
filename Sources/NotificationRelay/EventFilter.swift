import Ledger

/// Selects the events that a sink receives: types or groups of types, for all users or a share of them.
package struct EventFilter: Sendable, Equatable {
  /// The types of events made from records, without their common prefix and suffix.
  package static let recordTypes = [
    "reward.granted", "reward.reversed", "streak.extended", "streak.broken", "streak.held",
    "streak.repaired", "streak.at-risk", "level.reached", "backfill.summary", "day.closed",
  ]
  /// The type of a user's complete state.
  package static let accountType = "account.changed"
  /// The prefix of types of events about the service itself.
  static let operationsPrefix = "operations."
  /// The names of groups of types.
  package static let groups = ["rewards", "account", "operations"]

  private var types: Set<String>
  /// Whether account states are included.
  package private(set) var wantsAccounts: Bool
  /// Whether events about the service itself are included.
  package private(set) var wantsOperations: Bool
  /// The percentage of users whose events are included, always the same users.
  package var usersPercent = 100

  /// All events made from records, for all users.
  package static let rewards = EventFilter(
    types: Set(recordTypes), wantsAccounts: false, wantsOperations: false)

  /// Returns the filter for these types and groups, or the first name that is neither.
  package static func parse(_ names: [String]) -> Result<EventFilter, UnknownName> {
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
  package struct UnknownName: Error, Sendable, Equatable {
    /// The name.
    package let name: String
    /// The valid names.
    package static let known = groups + recordTypes + [accountType]
  }

  /// Returns whether an event made from a record is included.
  func wants(_ event: CloudEvent) -> Bool {
    let name = event.type.dropFirst(EventType.prefix.count).dropLast(EventType.suffix.count)
    if name.hasPrefix(Self.operationsPrefix) { return wantsOperations }
    return types.contains(String(name)) && (event.subject.map { includes($0) } ?? true)
  }

  /// Returns whether the sink receives a user's grants.
  package func wantsGrants(of user: String) -> Bool {
    types.contains("reward.granted") && includes(user)
  }

  /// Returns whether the sink receives anything about a user.
  func includes(_ user: String) -> Bool {
    usersPercent >= 100 || UserChoice.shares(usersPercent, of: 100).includes(user)
  }
}

extension EventFilter: CustomStringConvertible {
  /// The whole filter on one line, the same for equivalent filters.
  package var description: String {
    let groups = (wantsAccounts ? [Self.accountType] : []) + (wantsOperations ? ["operations"] : [])
    return (types.sorted() + groups + ["\(usersPercent) %"]).joined(separator: ", ")
  }
}

/// The names of event types.
package enum EventType {
  static let prefix = "com.cheer-supports."
  static let suffix = ".v1"

  /// Returns the full name of a type.
  package static func full(_ name: String) -> String { prefix + name + suffix }
}
