public import Evidence
public import Ledger

/// One user's looks, brought to the clerk.
public struct Visit: Sendable {
  /// A look with the route it was made at.
  public struct RouteLook: Sendable {
    /// The route.
    public let route: Source
    /// What it showed.
    public let look: Look

    /// A look at a route.
    public init(route: Source, look: Look) {
      self.route = route
      self.look = look
    }
  }

  /// The index of the user's account.
  public let user: Int
  /// The looks, one per route at most.
  public let looks: [RouteLook]

  /// A visit.
  public init(user: Int, looks: [RouteLook]) {
    self.user = user
    self.looks = looks
  }
}

/// What became of a piece of work once it was committed.
public struct Receipt: Sendable {
  /// The records that were appended, without seals.
  public var records: [Record] = []
  /// Evidence that came for closed days: a backfill's work.
  public var lateEvidence = 0
  /// Why the user could not be judged, nil when it could.
  public var problem: String?

  /// Nothing was appended.
  public init() {}
}
