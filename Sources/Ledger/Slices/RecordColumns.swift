extension RecordType {
  /// The names of a line's members, in the order in which they are written; the columns of a table of such records.
  ///
  /// Some members are left out of some lines; the tests hold this list against the encoder.
  public var columns: [StaticString] { ["seq", "at", "type"] + ownColumns }

  private var ownColumns: [StaticString] {
    switch self {
    case .genesis: ["format", "ledger", "program"]
    case .user: ["user", "zone", "from", "since", "opening", "takesEffect", "removed"]
    case .rules: ["version", "effectiveFrom", "corrects", "sha256", "drawKey", "document"]
    case .evidence: ["user", "kind", "from", "to", "open", "source", "observedAt"]
    case .credit: ["user", "effective", "exp", "items", "id"]
    case .grant:
      [
        "key", "user", "day", "mission", "effective", "rules", "points", "expBase", "multiplier",
        "exp", "coins", "items", "removedItems", "void", "booster", "evidence", "streak", "settled",
        "cause",
      ]
    case .streak: ["user", "day", "what", "before", "after", "proof"]
    case .level: ["user", "level", "effective", "exp"]
    case .unknown: ["user", "day", "mission", "gaps"]
    case .close:
      [
        "zone", "day", "start", "end", "users", "counts", "points", "exp", "tzdata", "head",
      ]
    case .excuse: ["from", "to", "users", "reason", "actor"]
    case .reversal:
      [
        "key", "user", "undone", "points", "exp", "coins", "items", "removedItems", "settled",
        "plan", "reason", "actor",
      ]
    case .run:
      [
        "job", "zone", "nominal", "nominalLocal", "actual", "outcome", "reason", "counts",
      ]
    case .refused: ["user", "day", "what", "key", "detail", "points", "exp", "streak"]
    case .operator: ["act", "subject", "reason", "actor"]
    case .seal: ["count", "prev", "hash"]
    }
  }
}
