public import CivilTime

/// What a grant gives or, with negative amounts, an adjustment takes back. All amounts are whole numbers.
public struct Reward: Hashable, Sendable {
  /// The amount of each unit; exp is ``baseExp`` × ``multiplier``.
  public var amounts = Amounts()
  /// Exp before the booster.
  public var baseExp: Int64 = 0
  /// The booster's multiplier: 1, or the one in the rules.
  public var multiplier: Int64 = 1
  /// Items as `CATEGORY/ITEM`.
  public var items: [String] = []
  /// The booster given by the grant.
  public var booster: BoosterWindow?

  /// Creates an empty reward.
  public init() {}

  /// Creates a reward from `base`, with its exp multiplied, an item and a booster.
  ///
  /// Plain arithmetic is safe here, because a document's amounts are bounded far below 64 bits.
  init(_ base: Amounts, multiplier: Int64, item: String?, booster: BoosterWindow?) {
    amounts = base
    amounts.exp = base.exp * multiplier
    baseExp = base.exp
    self.multiplier = multiplier
    items = item.map { [$0] } ?? []
    self.booster = booster
  }

  /// All units with their amounts, followed by the items, e.g. `100 points 0 exp 0 coins frame/gold`.
  public var text: String {
    (RewardUnit.allCases.map { "\(amounts[$0]) \($0.rawValue)" } + items).joined(separator: " ")
  }

  /// Shop points.
  public var points: Int64 {
    get { amounts.points }
    set { amounts.points = newValue }
  }
  /// `baseExp` × `multiplier`.
  public var exp: Int64 {
    get { amounts.exp }
    set { amounts.exp = newValue }
  }
  /// Cheer coins.
  public var coins: Int64 {
    get { amounts.coins }
    set { amounts.coins = newValue }
  }

  /// The amounts before the booster.
  public var baseAmounts: Amounts {
    var base = amounts
    base.exp = baseExp
    return base
  }

  /// Whether the reward is not empty.
  public var isSomething: Bool { !amounts.isZero || !items.isEmpty || booster != nil }
}

/// The half-open interval in which a booster runs.
public struct BoosterWindow: Hashable, Sendable {
  /// When it begins to act.
  public let from: Instant
  /// The first instant after the booster.
  public let until: Instant

  /// Creates a booster from `from` up to, not including, `until`.
  public init(from: Instant, until: Instant) {
    self.from = from
    self.until = until
  }
}

extension AccountState {
  /// Returns when the booster running at `instant` ends; nil if none is running.
  public func boosterRunning(at instant: Instant) -> Instant? {
    guard let boosterUntil, boosterUntil > instant else { return nil }
    guard let pause = boosterPause, instant < pause.until else { return boosterUntil }
    return instant < pause.from ? pause.from : nil
  }

  /// Returns when a booster of so many days runs that is given at `effective`: behind every other booster, including those that a
  /// plan let the user keep. Nil if none would run.
  public func boosterWindow(days: Int64, at effective: Instant) -> BoosterWindow? {
    // No later instant can be written, so a booster that would end later is cut.
    let seconds = min(max(days, 0), Self.boosterDaysAtMost) * 86_400
    let from = max(boosterUntil ?? effective, effective)
    let until = min(from.adding(seconds: seconds), .latest)
    return from < until ? BoosterWindow(from: from, until: until) : nil
  }

  /// More days than there are between the earliest and the latest instant.
  private static let boosterDaysAtMost: Int64 = 4_000_000

  /// Adds the booster that a credit brings, if any.
  public mutating func addBooster(of credit: Credit) {
    let bought = credit.boughtAt ?? credit.effective
    guard let window = boosterWindow(days: credit.boosterDays, at: bought) else { return }
    add(window, at: bought)
  }

  /// Adds a booster given at `effective`.
  public mutating func add(_ booster: BoosterWindow, at effective: Instant) {
    let end = boosterUntil ?? .earliest
    boosterUntil = max(end, booster.until)
    if booster.from > end {
      // A booster that a plan lets the user keep may begin after it is given; until then none runs.
      if booster.from > effective {
        boosterPause = BoosterWindow(from: max(end, effective), until: booster.from)
      }
      return
    }
    guard let pause = boosterPause else { return }
    let from = booster.from <= pause.from ? max(pause.from, booster.until) : pause.from
    let until = booster.until >= pause.until ? min(pause.until, booster.from) : pause.until
    boosterPause = from < until ? BoosterWindow(from: from, until: until) : nil
  }

  /// Drops a pause that is over at `instant`.
  public mutating func forgetPause(before instant: Instant) {
    if let pause = boosterPause, pause.until <= instant { boosterPause = nil }
  }
}
