package import CivilTime
package import Engine
import Ledger
import RewardRules

/// When to warn users that their streak will break with the running day.
package struct WarningPolicy: Sendable, Equatable {
  /// What to do if it is unknown whether anything has counted.
  package enum Unknown: String, Sendable, CaseIterable {
    /// Wait until it is known.
    case wait
    /// Warn the user all the same.
    case warn
  }

  /// The poll policy, which determines when users are polled before a warning.
  package var polls: PollPolicy
  /// The shortest streak worth a warning.
  package var leastLength: Int32
  /// What to do if it is unknown whether anything has counted.
  package var unknown: Unknown
  /// How long after a user's poll its result, and a reading of the inbox, are available, in seconds.
  package var settleSeconds: Int64

  /// Creates a policy; ``PollPolicy/warningSeconds`` says how long before the end of a day users are warned.
  package init(
    polls: PollPolicy, leastLength: Int32, unknown: Unknown, settleSeconds: Int64
  ) {
    self.polls = polls
    self.leastLength = leastLength
    self.unknown = unknown
    self.settleSeconds = settleSeconds
  }
}

/// Decides whom to warn and records it, so that each warning is sent exactly once.
package struct StreakWarnings: Sendable {
  /// How long to wait before checking again if it was unknown whether anything has counted, in seconds.
  private static let againSeconds: Int64 = 300
  /// How long to wait before checking again a user without a running day, in seconds.
  private static let absentSeconds: Int64 = 3_600

  private let writer: LedgerWriter
  private let policy: WarningPolicy

  /// Creates warnings for this writer's ledger.
  package init(_ writer: LedgerWriter, _ policy: WarningPolicy) {
    self.writer = writer
    self.policy = policy
  }

  /// Warns those of `users`, by account index, whose time has come, and returns when to check each again. Throws only
  /// if the ledger cannot be written.
  ///
  /// Decides and records in one change, so that nothing that counts can come in between.
  package func run(over users: [Int]) async throws -> [(user: Int, due: Instant)] {
    let policy = policy
    return try await writer.change(.users(users)) { state in
      var plans: [(user: Int, due: Instant)] = []
      var drafts: [Draft] = []
      for user in users {
        let (warning, due) = state.warning(for: user, policy)
        if let warning { drafts.append(Draft([.message(warning)])) }
        plans.append((user, due))
      }
      return LedgerWriter.Proposal(drafts) { _, _ in plans }
    }
  }

  /// Returns whether a user's streak is at risk now, by everything known.
  package static func isAtRisk(_ user: String, by writer: LedgerWriter) async -> Bool {
    await writer.read { state in
      state.ledger.index(of: user).flatMap { state.streakRisk(of: $0) } != nil
    }
  }

  /// Returns every user whose streak, of at least `length`, is at risk on the running day, as far as `writer` knows,
  /// ordered by the end of that day.
  package static func all(
    by writer: LedgerWriter, length: Int32
  ) async -> [(user: String, risk: StreakRisk)] {
    await writer.scan { state in
      state.ledger.accounts.indices.compactMap { user in
        guard let risk = state.streakRisk(of: user), risk.streak.length >= length else {
          return nil
        }
        return (state.ledger.accounts[user].id, risk)
      }.sorted { ($0.risk.window.end, $0.user) < ($1.risk.window.end, $1.user) }
    }
  }

  fileprivate static func later(_ now: Instant) -> Instant { now.adding(seconds: absentSeconds) }
  fileprivate static func again(_ now: Instant) -> Instant { now.adding(seconds: againSeconds) }
}

extension WorkingState {
  /// Returns the streak that a user will lose if nothing more happens today; nil if none, or if the user's zone is
  /// unknown.
  fileprivate mutating func streakRisk(of user: Int) -> StreakRisk? {
    guard ledger.accounts[user].isPresent else { return nil }
    // A user with an unknown zone is not judged; a poll reports that.
    guard let timeline = try? timeline(of: user, now: clock.certain()) else { return nil }
    return timeline.streakRisk()
  }

  /// Returns the warning due for a user now, and when to check again.
  fileprivate mutating func warning(
    for user: Int, _ policy: WarningPolicy
  ) -> (MessageRecord?, next: Instant) {
    let now = clock.certain()
    let account = ledger.accounts[user]
    guard account.isPresent, account.stopped == nil,
      let window = (try? openWindows(of: user, through: now))?.last,
      let instant = policy.polls.warningInstant(in: window.window)
    else { return (nil, max(StreakWarnings.later(now), account.boundary)) }
    let tomorrow = window.end
    if let warned = account.warnedDay, warned >= window.day { return (nil, tomorrow) }
    let look = policy.polls.warningCall(
      of: account.id, in: window.window,
      peers: ledger.users.zones.population(of: account.zone))
    let due = (look ?? instant).adding(seconds: policy.settleSeconds)
    if now < due { return (nil, min(due, tomorrow)) }
    guard let risk = streakRisk(of: user), risk.streak.length >= policy.leastLength else {
      return (nil, tomorrow)
    }
    if risk.knownThrough < instant, policy.unknown == .wait {
      return (nil, min(StreakWarnings.again(now), tomorrow))
    }
    let warning = MessageRecord(
      user: account.id, day: window.day, streak: StreakMark(risk.streak), end: window.end,
      knownThrough: risk.knownThrough)
    return (warning, tomorrow)
  }
}
