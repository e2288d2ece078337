public import CivilTime

/// Something a user did, from a source's answer to the ledger.
public struct Activity: Hashable, Sendable {
  /// What the user did.
  public let kind: ActivityKind
  /// When it began.
  public let from: Instant
  /// When it ended, or, while it goes on, up to when it is known to have lasted; equal to `from` for something without
  /// duration.
  public let to: Instant
  /// Whether it had no end yet when it was seen.
  public let isOpen: Bool

  /// An activity.
  public init(kind: ActivityKind, from: Instant, to: Instant, isOpen: Bool = false) {
    self.kind = kind
    self.from = from
    self.to = to
    self.isOpen = isOpen
  }

  /// The same, of one without an end only as much as `policy` believes.
  public func believed(by policy: ActivityPolicy) -> Activity {
    let last = policy.trustedEnd(from: from)
    return isOpen && to > last ? Activity(kind: kind, from: from, to: last, isOpen: true) : self
  }

  /// The first instant of the activity within `window`, or nil when it does not touch it.
  ///
  /// It touches when its start is before the window's end and its end after the window's start; something without
  /// duration when it lies inside. Under `starts` only the window of its start is touched.
  public func effective(in window: DayWindow, counting: ActivityPolicy.Counting) -> Instant? {
    if window.contains(from) { return from }
    guard counting == .overlaps, from < window.start, to > window.start else { return nil }
    return window.start
  }
}

/// An activity that stands in the ledger as evidence.
public struct RecordedEvidence: Hashable, Sendable {
  /// What was seen.
  public let activity: Activity
  /// Where it was seen first.
  public let source: Source
  /// Its sequence number in the ledger; while it is not recorded, one from ``firstProvisional`` on.
  public let seq: UInt64

  /// No line of a ledger has this number or a larger one.
  public static let firstProvisional: UInt64 = 1 << 62

  /// Evidence.
  public init(activity: Activity, source: Source, seq: UInt64) {
    self.activity = activity
    self.source = source
    self.seq = seq
  }
}
