public import CivilTime
public import Evidence

/// The unique key of a grant. A user receives a grant under each key at most once.
public enum RewardKey: Hashable, Sendable {
  /// `USER/DAY/MISSION`.
  case mission(Day, ActivityKind)
  /// `USER/DAY/login`.
  case login(Day)
  /// `USER/level/N`.
  case level(Int)

  /// Returns the key's text for one user.
  public func text(user: String) -> String {
    switch self {
    case .mission(let day, let kind): "\(user)/\(day)/\(kind.name)"
    case .login(let day): "\(user)/\(day)/login"
    case .level(let number): "\(user)/level/\(number)"
    }
  }

  /// The day in the key; nil for a level.
  public var day: Day? {
    switch self {
    case .mission(let day, _), .login(let day): day
    case .level: nil
    }
  }

  /// The grant's `mission` field: the kind's name, `login` or `level`.
  public var mission: String {
    switch self {
    case .mission(_, let kind): kind.name
    case .login: OtherMission.login.rawValue
    case .level: OtherMission.level.rawValue
    }
  }
}

/// What stands in a grant's `mission` when it is for no kind of activity.
public enum OtherMission: String, CaseIterable, Sendable {
  /// The streak's reward.
  case login
  /// The reward for reaching a level.
  case level
  /// What a plan lets the user keep.
  case waived
  /// Given by hand.
  case manual

  /// Those whose names no mission of a rules document may have.
  static let reserved: [OtherMission] = [.login, .level, .waived]
}
