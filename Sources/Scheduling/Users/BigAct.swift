import Digests
public import Ledger
public import RewardRules

/// Something that one person alone may not do, and the id by which a second one names it.
public struct BigAct: Sendable, Equatable {
  /// What is to be done, in words that tell it from everything else.
  public let what: String
  /// Why.
  public let reason: String

  /// Creates an act.
  public init(what: String, reason: String) {
    self.what = what
    self.reason = reason
  }

  /// The same for the same act and reason, whoever wants it.
  public var id: String {
    String(SHA256.digest(of: Array("\(what)\n\(reason)".utf8)).description.prefix(12))
  }

  /// Returns whether two actors may be one person: case and spaces make nobody somebody else, nor does an account
  /// that gives a name once and leaves it out the other time.
  private static func maySame(_ one: String, _ other: String) -> Bool {
    let people = [one, other].map { $0.lowercased().filter { !$0.isWhitespace } }
    func isNameless(_ person: String, in account: String) -> Bool {
      account.hasSuffix("(account\(person))")
    }
    return people[0] == people[1] || isNameless(people[0], in: people[1])
      || isNameless(people[1], in: people[0])
  }

  /// Why `approver` cannot let it through although it was asked for; nil when that is possible.
  func objection(to approver: String, in requests: RequestMarks) -> SecondActor.Problem? {
    guard let request = requests.all[id] else { return .notRequested(id: id) }
    return Self.maySame(request.actor, approver)
      ? .sameActor(id: id, asked: request.actor, actor: approver) : nil
  }
}

extension BigAct {
  /// To give `reward` under `key`.
  public static func gift(_ reward: Reward, under key: String, reason: String) -> BigAct {
    BigAct(what: "grant \(key): \(reward.text)", reason: reason)
  }

  /// To take a credit line that has more exp than `limit`.
  public static func credit(_ credit: CreditRecord, limit: Int64) -> BigAct {
    let things = (["\(credit.exp) exp"] + credit.items).joined(separator: " ")
    return BigAct(
      what: "credit \(credit.user) \(things) at \(credit.effective), id \(credit.id ?? "")",
      reason: "a credit line of more than \(limit) exp")
  }

  /// What a second person has agreed to, whatever the reason.
  public struct Approvals: Sendable {
    private let whats: Set<String>

    /// What stands in a ledger.
    public init(_ requests: RequestMarks) {
      whats = Set(requests.all.values.lazy.filter { $0.approver != nil }.map(\.what))
    }

    /// Returns whether an act stands among them.
    public func holds(_ act: BigAct) -> Bool { whats.contains(act.what) }
  }
}
