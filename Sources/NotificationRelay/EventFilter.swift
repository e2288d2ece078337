import Ledger

/// Selects the events that a sink receives: types or groups of types, for all users or a share of them.
package struct EventFilter: Sendable, Equatable {
  /// The types of events made from records.
  private static let recordTypes = EventType.allCases.filter { $0.group == .rewards }

  private var types: Set<EventType>
  /// Whether account states are included.
  package private(set) var wantsAccounts: Bool
  /// Whether events about the service itself are included.
  package private(set) var wantsOperations: Bool
  /// The percentage of users whose events are included, always the same users.
  package var usersPercent = 100

  /// All events made from records, for all users.
  package static let rewards = EventFilter(
    types: Set(recordTypes), wantsAccounts: false, wantsOperations: false)

  /// Only account states, of all users.
  package static let accounts = EventFilter(types: [], wantsAccounts: true, wantsOperations: false)

  /// Returns the filter for these types and groups, or the first name that is neither.
  package static func parse(_ names: [String]) -> Result<EventFilter, UnknownName> {
    var filter = EventFilter(types: [], wantsAccounts: false, wantsOperations: false)
    for name in names {
      let type = EventType(rawValue: name)
      switch EventType.Group(rawValue: name) {
      case .rewards?: filter.types.formUnion(recordTypes)
      case .account?: filter.wantsAccounts = true
      case .operations?: filter.wantsOperations = true
      case nil:
        if type == .accountChanged {
          filter.wantsAccounts = true
        } else if let type, type.group == .rewards {
          filter.types.insert(type)
        } else {
          return .failure(UnknownName(name: name))
        }
      }
    }
    return .success(filter)
  }

  /// A name that is neither a type nor a group.
  package struct UnknownName: Error, Sendable, Equatable {
    /// The name.
    package let name: String
    /// The valid names.
    package static let known =
      EventType.Group.allCases.map(\.rawValue)
      + (recordTypes + [EventType.accountChanged]).map(\.rawValue)
  }

  /// Returns whether an event made from a record, or about the service itself, is included.
  func wants(_ event: CloudEvent) -> Bool {
    if event.type.group == .operations { return wantsOperations }
    if event.type == .userForgotten {
      return event.subject.map { tellsOfForgetting($0) } ?? false
    }
    return types.contains(event.type) && (event.subject.map { includes($0) } ?? true)
  }

  /// Returns whether the sink receives a user's grants.
  package func wantsGrants(of user: String) -> Bool {
    types.contains(.rewardGranted) && includes(user)
  }

  /// Returns whether the sink receives a user's states.
  package func wantsAccount(of user: String) -> Bool { wantsAccounts && includes(user) }

  /// Whether the sink receives what operators tell everybody.
  package var wantsBroadcasts: Bool { types.contains(.broadcast) }

  /// Returns whether the sink learns that a user was forgotten: whoever receives anything about the user has something to
  /// delete, whichever types were chosen.
  package func tellsOfForgetting(_ user: String) -> Bool {
    (wantsAccounts || !types.isEmpty) && includes(user)
  }

  /// Returns whether the sink receives anything about a user.
  func includes(_ user: String) -> Bool {
    usersPercent >= 100 || UserChoice.shares(usersPercent, of: 100).includes(user)
  }
}

extension EventFilter: CustomStringConvertible {
  /// The whole filter on one line, the same for equivalent filters.
  package var description: String {
    let others =
      (wantsAccounts ? [EventType.accountChanged.rawValue] : [])
      + (wantsOperations ? [EventType.Group.operations.rawValue] : [])
    return (types.map(\.rawValue).sorted() + others + ["\(usersPercent) %"])
      .joined(separator: ", ")
  }
}
