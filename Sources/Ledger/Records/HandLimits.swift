internal import CivilTime
public import Described
public import RewardRules

/// What one person may give alone: beyond it a second person must agree. The ledger holds them, as the act `limits`.
public struct HandLimits: Sendable, Equatable {
  /// Who counts as one person.
  public enum Person: String, Sendable, CaseIterable, Word {
    /// An account of the machine, whatever name it gives.
    case account
    /// A name given with `--actor`, so that several people can share an account.
    case actor
    /// A key of the ledger's signers. Whoever does not sign is nobody.
    case signature

    /// The noun for it, used in errors.
    public static var noun: StaticString { "person" }

    /// The higher, the harder it is to be two.
    fileprivate var strictness: Int {
      switch self {
      case .actor: 0
      case .account: 1
      case .signature: 2
      }
    }
  }

  /// The most of each unit that one act may give or take.
  public var byHand = Amounts { _ in 10_000 }
  /// The most items that one credit line may give.
  public var itemsByHand: Int64 = 10
  /// The most exp of one credit line.
  public var expPerCredit: Int64 = 10_000
  /// The most booster days of one credit line.
  public var boosterDaysPerCredit: Int64 = 30
  /// The most days that a pardon may span.
  public var pardonDaysByHand: Int64 = 14
  /// How many times as much one user may be given in a month (UTC), by anybody alone.
  public var perUserAndMonth: Int64 = 2
  /// How many times as much one person may give in a month (UTC), to all users.
  public var perActorAndMonth: Int64 = 20
  /// Who counts as one person.
  public var by = Person.account

  /// Creates the limits of a ledger that holds none.
  public init() {}

  /// Returns whether anything may be given with these that `other` does not allow.
  public func allowMore(than other: HandLimits) -> Bool {
    by.strictness < other.by.strictness
      || zip(numbers, other.numbers).contains { $0.value > $1.value }
  }

  /// The most of each part that one act may give, by the part's name.
  public var perAct: [String: Int64] {
    var parts = ["items": itemsByHand, "boosterDays": boosterDaysPerCredit]
    for unit in RewardUnit.allCases { parts[unit.rawValue] = byHand[unit] }
    return parts
  }

  /// Returns the part of `amounts`, given or taken in one act, beyond the limits, in words; nil if one person is enough.
  public func excess(of amounts: Amounts) -> String? {
    let beyond = RewardUnit.allCases.filter { amounts[$0].magnitude > byHand[$0].magnitude }
    if beyond.isEmpty { return nil }
    return beyond.map {
      "\(amounts[$0]) \($0.rawValue) (the limit for one person, approval.\($0.rawValue)ByHand, is \(byHand[$0]))"
    }.joined(separator: ", ")
  }

  /// Returns why a pardon takes two people, in words; nil if it does not, and for outages, which excuse only what they hid.
  public func excess(of excuse: ExcuseRecord) -> String? {
    let days = Int64(excuse.to.number) - Int64(excuse.from.number) + 1
    guard excuse.outage == nil, excuse.withdraws == nil, days > pardonDaysByHand else { return nil }
    return
      "a pardon of \(days) days (the limit for one person, approval.pardonDaysByHand, is \(pardonDaysByHand))"
  }

  /// Returns the parts of one gift that pass the limits of an act, in words; nil if one person is enough.
  public func excess(ofGift given: [String: Int64]) -> String? {
    if let excess = excess(of: given.amounts) { return excess }
    guard let items = given["items"], items > itemsByHand else { return nil }
    return "\(items) items (the limit for one person, approval.itemsByHand, is \(itemsByHand))"
  }

  /// Returns the sums of a month that pass what one person may give with what is `given` now, in words; nil if none do. They are those
  /// of `user`, or, with nil, of the person. Parts that are not given do not matter.
  public func excess(
    ofMonth sums: [String: Int64], adding given: [String: Int64], to user: String?
  ) -> String? {
    if given.isEmpty { return nil }
    let (times, setting) =
      user == nil ? (perActorAndMonth, "perActorAndMonth") : (perUserAndMonth, "perUserAndMonth")
    let beyond = perAct.sorted { $0.key < $1.key }.compactMap { part, limit -> String? in
      let most = limit.multipliedSaturated(by: times)
      guard given[part] != nil, let sum = sums[part], sum > most else { return nil }
      return
        "\(sum) \(part) by hand \(user.map { "to \($0) " } ?? "")in a month (the limit for one person is \(most), \(times) × that of an act: approval.\(setting))"
    }
    return beyond.isEmpty ? nil : beyond.joined(separator: ", ")
  }

  /// Returns the person behind an actor, as ``RequestMark/actor`` names one.
  public func person(_ actor: String) -> String {
    let shown =
      Self.signer(of: actor) ?? (by == .actor ? nil : Self.account(of: actor)) ?? actor
    if Self.isClaimed(actor, by) { return Self.claimed }
    // Neither case nor spaces distinguish people.
    return shown.lowercased().filter { !$0.isWhitespace }
  }

  /// Stands behind an account that only a row of the database names, as in `alice@database`.
  public static let claimed = "@database"

  /// Returns whether nobody knows who an actor is, because whoever may write to the database can name any account. Names given with
  /// `--actor` are believed where they distinguish people.
  public static func isClaimed(_ actor: String, _ by: Person) -> Bool {
    by != .actor && (account(of: actor) ?? actor).hasSuffix(claimed)
  }

  /// Returns the account of an actor who also gave a name, as in `alice (account root)`; nil for any other.
  public static func account(of actor: String) -> String? {
    guard actor.hasSuffix(")"), let split = actor.firstRange(of: " (account ") else { return nil }
    return String(actor[split.upperBound...].dropLast())
  }

  /// Returns the signer in an actor known by a signature, as in `alice@example.org (key SHA256:…)`; nil for any other.
  public static func signer(of actor: String) -> String? {
    guard actor.hasSuffix(")"), let split = actor.firstRange(of: " (key ") else { return nil }
    return String(actor[..<split.lowerBound])
  }

  /// Returns whether it is known which person an actor is: by a signature, or by the account where accounts are people.
  public func isKnown(_ actor: String, isSigned: Bool) -> Bool {
    isSigned || by != .signature && Self.signer(of: actor) == nil && !Self.isClaimed(actor, by)
  }

  /// The names and numbers, as in the configuration and in a line.
  public var numbers: [(name: String, value: Int64)] {
    RewardUnit.allCases.map { ("\($0.rawValue)ByHand", byHand[$0]) } + [
      ("itemsByHand", itemsByHand), ("expPerCredit", expPerCredit),
      ("boosterDaysPerCredit", boosterDaysPerCredit), ("pardonDaysByHand", pardonDaysByHand),
      ("perUserAndMonth", perUserAndMonth), ("perActorAndMonth", perActorAndMonth),
    ]
  }
}

extension HandLimits: CustomStringConvertible {
  /// All of them, as in `pointsByHand 10000, …, by account`.
  public var description: String {
    (numbers.map { "\($0.name) \($0.value)" } + ["by \(by.rawValue)"]).joined(separator: ", ")
  }
}

extension HandLimits: DescribedObject {
  /// Reads or writes the fields, in their order in a line and in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    byHand.points = try coder.field("pointsByHand", value?.pointee.byHand.points)
    byHand.exp = try coder.field("expByHand", value?.pointee.byHand.exp)
    byHand.coins = try coder.field("coinsByHand", value?.pointee.byHand.coins)
    itemsByHand = try coder.field("itemsByHand", value?.pointee.itemsByHand)
    expPerCredit = try coder.field("expPerCredit", value?.pointee.expPerCredit)
    boosterDaysPerCredit = try coder.field(
      "boosterDaysPerCredit", value?.pointee.boosterDaysPerCredit)
    pardonDaysByHand = try coder.field("pardonDaysByHand", value?.pointee.pardonDaysByHand)
    perUserAndMonth = try coder.field("perUserAndMonth", value?.pointee.perUserAndMonth)
    perActorAndMonth = try coder.field("perActorAndMonth", value?.pointee.perActorAndMonth)
    by = try coder.field("by", value?.pointee.by)
  }
}
