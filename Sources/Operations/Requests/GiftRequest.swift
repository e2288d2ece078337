package import Described
import Digests
import Failures
import Ledger
package import RewardRules
package import Scheduling

/// Gives a user a reward by hand: `rewards grant`.
package struct GiftRequest: Request {
  /// `grant`.
  package static let name = "grant"
  /// The maximum of one unit.
  package static let most: Int64 = 1_000_000_000

  private let user: String
  private let reward: Reward
  private let id: String?
  private let reason: String
  private let actor: String?
  private let approving: String?

  /// Creates a gift of `reward` for `reason`. `id` distinguishes it from others of the same reward and reason, `actor` names the
  /// giver in addition to the account, and `approving` is the id of another person's request that it fulfils.
  package init(
    of reward: Reward, to user: String, id: String?, reason: String, actor: String?,
    approving: String?
  ) {
    self.user = user
    self.reward = reward
    self.id = id
    self.reason = reason
    self.actor = actor
    self.approving = approving
  }

  /// The result of a gift.
  package struct Report: Sendable {
    /// The grant's key.
    package let key: String
    /// The records appended; none when it was given before.
    package let counts: AppendCounts
    /// Whether it was given before and reversed since.
    package let isTakenBack: Bool
  }

  /// Gives the reward, once; throws when something else was given under its id.
  package func perform(at place: Place) async throws -> Report {
    let runtime = place.runtime
    let reason = try Reason.check(reason)
    try check()
    try runtime.requireConfirmedClock()
    let id = id ?? Self.id(of: reward, reason)
    let key = "\(user)/manual/\(id)"
    let actor = try place.actor(actor)
    let isGiven = await runtime.writer.read { state in
      state.ledger.account(of: user).map { $0.manualIDs.contains(id) || !$0.isPresent } ?? true
    }
    let counts = try await runtime.secondActor.carryOut(
      .gift(reward, under: key, reason: reason), approving: isGiven ? nil : approving, actor: actor
    ) { request in
      try await ManualGift(runtime.writer).give(
        reward, to: user, id: id, reason: reason, actor: actor, request: request)
    }
    let before =
      counts.appended > 0
      ? nil
      : try await LedgerReading.grant(
        key, of: user, in: LedgerReading.open(runtime.directory))
    if let given = before?.grant.reward,
      given.baseAmounts != reward.baseAmounts || given.items.sorted() != reward.items
    {
      throw Failure(
        .badData, "something else was given under this id: \(given.text)", place: key,
        remedy: "Nothing was appended. Give another --id for another gift.")
    }
    return Report(key: key, counts: counts, isTakenBack: before?.isTakenBack ?? false)
  }

  private func check() throws(Failure) {
    guard reward.isSomething else {
      throw Failure(
        .usage,
        "a grant must give something: \(RewardUnit.allCases.map { "--\($0.rawValue)" }.joined(separator: ", ")) or --item"
      )
    }
    for unit in RewardUnit.allCases where !(0...Self.most).contains(reward.amounts[unit]) {
      throw Failure(
        .usage, "\"\(reward.amounts[unit])\" is not a whole number from 0 to \(Self.most)",
        place: "--\(unit.rawValue)")
    }
    guard id.map(UserID.isValid) ?? true else {
      throw Failure(
        .usage, "an id must be 1 to 64 of the characters A-Z a-z 0-9 _ . -", place: "--id")
    }
  }

  /// Returns the same id for the same gift and reason, so that a repeated request gives nothing twice.
  private static func id(of reward: Reward, _ reason: String) -> String {
    let amounts = RewardUnit.allCases.map { "\(reward.amounts[$0])" }.joined(separator: " ")
    let text = "\(amounts) \(reward.items.joined(separator: " ")) \(reason)"
    return String(SHA256.digest(of: Array(text.utf8)).description.prefix(12))
  }
}

extension GiftRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    var reward = Reward()
    reward.amounts = try Amounts(&coder, value?.pointer(to: \.reward.amounts))
    reward.items = Set(try coder.field("items", value?.pointee.reward.items)).sorted()
    reward.baseExp = reward.exp
    self.reward = reward
    id = try coder.optional("id", value?.pointee.id)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
    approving = try coder.optional("approving", value?.pointee.approving)
  }
}
