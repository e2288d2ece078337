import CivilTime
import Ledger
import RewardRules
public import Scheduling

/// What a reconciliation did.
public struct ReconcileReport: Sendable {
  /// The days that were closed, in order.
  public internal(set) var closed: [ClosedZoneDay] = []
  /// The days that wait for an operator, with the reason.
  public internal(set) var waiting: [(close: DueClose, objection: String)] = []
  /// The days that wait for shards.
  public internal(set) var deferred: [DeferredClose] = []
  /// Why no day can be closed, though some have ended: nobody has confirmed the clock. Nil where nothing waits for that.
  public internal(set) var clockDoubt: String?
  /// Whether the run that has counted what this one closes found what needs attention.
  var hadAttention = false
  /// What was appended, the run's own record not counted.
  public internal(set) var counts = AppendCounts()
  /// Missions of closed days that stay unknown.
  public internal(set) var unknown = 0
  /// Users that were looked at.
  public internal(set) var users = 0
  /// Looks made, failed ones included.
  public internal(set) var looks = 0
  /// Looks that could not see, by cause.
  public internal(set) var failedLooks: [String: Int] = [:]
  /// Activities and credits that came for closed days: a backfill's work.
  public internal(set) var lateEvidence = 0
  /// Closed days of the users at hand that wait for a backfill, those of earlier late facts included.
  public internal(set) var waitingDays = WaitingDays()
  /// Lines of the inbox that were not accepted.
  public internal(set) var rejectedLines = 0
  /// Users and files that could not be dealt with, in words.
  public internal(set) var problems: [String] = []
  /// With `--prove`: how many records a second run would append; nil without.
  public internal(set) var secondRun: Int?

  /// Whether most looks could not see.
  var isBlind: Bool { failedLooks.values.reduce(0, +) * 2 > looks }

  /// Whether somebody should look at this.
  public var needsAttention: Bool {
    isPutOff || findsAttention
  }

  /// Whether closes wait for what comes without anybody's judgement: the same run, tried again, will close them.
  public var isPutOff: Bool { !deferred.isEmpty || clockDoubt != nil }

  /// The same, of what is done.
  var findsAttention: Bool {
    hadAttention || isBlind || unknown > 0 || counts.refused > 0 || rejectedLines > 0
      || lateEvidence > 0 || !waiting.isEmpty || waitingDays.count > 0 || !problems.isEmpty
      || (secondRun ?? 0) > 0
  }

  mutating func add(_ day: ClosedZoneDay) {
    closed.append(day)
    unknown += day.unknown
    counts += day.counts
  }
}

/// A close that waits until other shards have counted their streaks.
public struct DeferredClose: Sendable {
  private static let namedShards = 5

  /// The close.
  public let close: DueClose
  /// The numbers of the shards that have not counted yet, in order.
  public let shards: [Int]

  /// What it waits for, in words.
  public var text: String {
    let named = shards.prefix(Self.namedShards).map { "\($0)" }.joined(separator: ", ")
    let rest = shards.count > Self.namedShards ? " and \(shards.count - Self.namedShards) more" : ""
    return
      "\(close.window.day) in \(close.zone) waits until the streaks of shard \(named)\(rest) are counted"
  }
}
