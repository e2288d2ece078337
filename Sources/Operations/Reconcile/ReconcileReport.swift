import CivilTime
import Evidence
import Ledger
import RewardRules
package import Scheduling

/// The result of a reconciliation.
package struct ReconcileReport: Sendable {
  /// The days that were closed, in order.
  package internal(set) var closed: [ClosedZoneDay] = []
  /// The days that wait for an operator, with reasons.
  package internal(set) var waiting: [(close: DueClose, objection: String)] = []
  /// The days that wait for other shards.
  package internal(set) var deferred: [DeferredClose] = []
  /// The reason no day can be closed although some have ended: the clock is unconfirmed. Nil when nothing waits for
  /// that.
  package internal(set) var clockDoubt: String?
  /// Whether the run that counted what this run closes needed attention.
  var hadAttention = false
  /// The appended records, without the run's own.
  package internal(set) var counts = AppendCounts()
  /// The number of missions of closed days that stay unknown.
  package internal(set) var unknown = 0
  /// The number of these that are unknown only because the user came during the day; they need no attention.
  package internal(set) var unknownOfNewcomers = 0
  /// The number of users polled.
  package internal(set) var users = 0
  /// The number of polls, including failed ones.
  package internal(set) var looks = 0
  /// The number of failed polls by cause.
  package internal(set) var failedLooks: [String: Int] = [:]
  /// The number of activities and credits for closed days, which need a backfill.
  package internal(set) var lateEvidence = 0
  /// The closed days in scope that wait for a backfill, including those with earlier late facts.
  package internal(set) var waitingDays = WaitingDays()
  /// The number of rejected inbox lines.
  package internal(set) var rejectedLines = 0
  /// The first of them, each with the file that holds it and the reason.
  package internal(set) var rejections: [String] = []
  /// The users and files that could not be processed, in words.
  package internal(set) var problems: [String] = []
  /// With `--prove`, the number of records that a second run would append; otherwise nil.
  package internal(set) var secondRun: Int?

  /// Whether most polls failed.
  var isBlind: Bool { failedLooks.values.reduce(0, +) * 2 > looks }

  /// Whether a poll failed for a cause that no later one mends: somebody must mend the API, a credential or the roster.
  var hasLastingFailure: Bool {
    FailureCause.ofSingleUsers.union([.badAnswer]).contains { failedLooks[$0.rawValue] != nil }
  }

  /// Whether it needs attention.
  package var needsAttention: Bool {
    isPutOff || findsAttention
  }

  /// Whether closes wait for something that needs no decision: repeating the run will close them.
  package var isPutOff: Bool { !deferred.isEmpty || clockDoubt != nil }

  /// Whether the finished part needs attention.
  var findsAttention: Bool {
    hadAttention || isBlind || hasLastingFailure || unknown > unknownOfNewcomers
      || counts.refused > 0
      || rejectedLines > 0
      || lateEvidence > 0 || !waiting.isEmpty || waitingDays.count > 0 || !problems.isEmpty
      || (secondRun ?? 0) > 0
  }

  mutating func add(_ day: ClosedZoneDay) {
    closed.append(day)
    unknown += day.unknown
    unknownOfNewcomers += day.unknownOfNewcomers
    counts += day.counts
  }
}

/// A close that waits until other shards have counted their streaks.
package struct DeferredClose: Sendable {
  private static let namedShards = 5

  /// The close.
  package let close: DueClose
  /// The numbers of the shards that have not counted yet, in order.
  package let shards: [Int]

  /// A description of what it waits for.
  package var text: String {
    let named = shards.prefix(Self.namedShards).map { "\($0)" }.joined(separator: ", ")
    let rest = shards.count > Self.namedShards ? " and \(shards.count - Self.namedShards) more" : ""
    return
      "\(close.window.day) in \(close.zone) waits until the streaks of shard \(named)\(rest) are counted"
  }
}
