public import CivilTime

/// Something a user did, from a source's answer to the ledger.
public struct Activity: Hashable, Sendable {
  /// What the user did.
  public let kind: ActivityKind
  /// When it began.
  public let from: Instant
  /// When it ended or, if still open, until when it is known to have lasted. Equals `from` for an activity without duration.
  public let to: Instant
  /// Whether it had not ended when seen.
  public let isOpen: Bool

  /// Creates an activity.
  public init(kind: ActivityKind, from: Instant, to: Instant, isOpen: Bool = false) {
    self.kind = kind
    self.from = from
    self.to = to
    self.isOpen = isOpen
  }

  /// Returns the activity; an open one is cut to what `policy` believes.
  public func believed(by policy: ActivityPolicy) -> Activity {
    let last = policy.trustedEnd(from: from)
    return isOpen && to > last ? Activity(kind: kind, from: from, to: last, isOpen: true) : self
  }

  /// Returns the first instant of the activity within `window`; nil if it does not touch the window.
  ///
  /// It touches the window if it starts before the window ends and ends after the window starts. An activity without
  /// duration must lie inside. Under `starts` it touches only the window in which it starts.
  public func effective(in window: DayWindow, counting: ActivityPolicy.Counting) -> Instant? {
    if window.contains(from) { return from }
    guard counting == .overlaps, from < window.start, to > window.start else { return nil }
    return window.start
  }
}

/// An activity that the ledger records as evidence.
public struct RecordedEvidence: Hashable, Sendable {
  /// What was seen.
  public let activity: Activity
  /// Where it was first seen.
  public let source: Source
  /// Its sequence number in the ledger; ``firstProvisional`` or more while not yet recorded.
  public let seq: UInt64

  /// The first number that no ledger line can have.
  public static let firstProvisional: UInt64 = 1 << 62

  /// Creates recorded evidence.
  public init(activity: Activity, source: Source, seq: UInt64) {
    self.activity = activity
    self.source = source
    self.seq = seq
  }
}
