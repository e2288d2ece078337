public import CivilTime

/// Evidence that stands in the ledger.
public struct RecordedEvidence: Hashable, Sendable {
  /// What was seen.
  public let activity: SeenActivity
  /// Its sequence number in the ledger.
  public let seq: UInt64

  /// Evidence.
  public init(activity: SeenActivity, seq: UInt64) {
    self.activity = activity
    self.seq = seq
  }

  /// The earliest touch of `window` among `evidence` for one kind, or nil.
  public static func touch(
    of window: DayWindow, by kind: ActivityKind, in evidence: [RecordedEvidence],
    counting: ActivityPolicy.Counting
  ) -> Touch? {
    var best: Touch?
    for item in evidence where item.activity.kind == kind {
      guard let effective = item.activity.effective(in: window, counting: counting) else {
        continue
      }
      if let best, best.effective <= effective { continue }
      best = Touch(effective: effective, evidence: item.seq)
    }
    return best
  }
}
