import Digests
import Ledger
public import RewardRules

/// How much one person may give or take by hand; beyond it a second one must want the same.
public struct HandLimits: Sendable, Equatable {
  /// How much of each unit one act may give or take.
  public var perAct: Amounts
  /// Exp of one credit line.
  public var expPerCredit: Int64

  /// Limits.
  public init(perAct: Amounts, expPerCredit: Int64) {
    self.perAct = perAct
    self.expPerCredit = expPerCredit
  }

  /// What of `amounts`, given or taken, is beyond the limits, in words; nil when one person is enough.
  public func excess(of amounts: Amounts) -> String? {
    let beyond = RewardUnit.allCases.filter { amounts[$0].magnitude > perAct[$0].magnitude }
    if beyond.isEmpty { return nil }
    return beyond.map { "\(amounts[$0]) \($0.rawValue) (one person may \(perAct[$0]))" }
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

  /// An actor as one is told from another: case and spaces make nobody somebody else.
  private static func person(_ actor: String) -> String {
    actor.lowercased().filter { !$0.isWhitespace }
  }

  /// Why `approver` cannot let it through although it was asked for; nil when that is possible.
  func objection(to approver: String, in requests: RequestMarks) -> SecondActor.Problem? {
    guard let request = requests.all[id] else { return .notRequested(id: id) }
    return Self.person(request.actor) == Self.person(approver)
      ? .sameActor(id: id, actor: approver) : nil
  }
}
