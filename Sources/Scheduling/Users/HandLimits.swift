import Digests
import Ledger

/// How much one person may give or take by hand; beyond it a second one must want the same.
public struct HandLimits: Sendable, Equatable {
  /// Shop points of one act.
  public var points: Int64
  /// Exp of one act.
  public var exp: Int64
  /// Cheer coins of one act.
  public var coins: Int64
  /// Exp of one credit line.
  public var expPerCredit: Int64

  /// Limits.
  public init(points: Int64, exp: Int64, coins: Int64, expPerCredit: Int64) {
    self.points = points
    self.exp = exp
    self.coins = coins
    self.expPerCredit = expPerCredit
  }

  /// The amounts of an act, whether they are given or taken.
  public struct Amounts: Sendable, Equatable {
    /// Shop points.
    public var points: Int64
    /// Exp.
    public var exp: Int64
    /// Cheer coins.
    public var coins: Int64

    /// Amounts.
    public init(points: Int64, exp: Int64, coins: Int64) {
      self.points = points
      self.exp = exp
      self.coins = coins
    }
  }

  /// What of `amounts` is beyond the limits, in words; nil when one person is enough.
  public func excess(of amounts: Amounts) -> String? {
    let all: [(amount: Int64, limit: Int64, unit: String)] = [
      (amounts.points, points, "points"), (amounts.exp, exp, "exp"),
      (amounts.coins, coins, "coins"),
    ]
    let beyond = all.filter { $0.amount.magnitude > $0.limit.magnitude }
    if beyond.isEmpty { return nil }
    return beyond.map { "\($0.amount) \($0.unit) (one person may \($0.limit))" }
      .joined(separator: ", ")
  }
}

/// Something that one person alone may not do, and the id by which a second one names it.
public struct BigAct: Sendable, Equatable {
  /// What is to be done, in words that tell it from everything else.
  public let what: String
  /// Why.
  public let reason: String

  /// An act.
  public init(what: String, reason: String) {
    self.what = what
    self.reason = reason
  }

  /// The same for the same act and reason, whoever wants it.
  public var id: String {
    String(SHA256.digest(of: Array("\(what)\n\(reason)".utf8)).description.prefix(12))
  }

  /// Why `approver` cannot let it through although it was asked for; nil when that is possible.
  func objection(to approver: String, in requests: RequestMarks) -> SecondActor.Problem? {
    guard let request = requests.all[id] else { return .notRequested(id: id) }
    return request.actor == approver ? .sameActor(id: id, actor: approver) : nil
  }
}
