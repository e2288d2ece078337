public import CivilTime
public import Described
public import Evidence

/// The record of an observed activity. It never says whom a gift went to.
public struct EvidenceRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// What the user did, and when.
  public var activity = Activity(kind: .comment, from: .earliest, to: .earliest)
  /// Where it was seen.
  public var source: Source
  /// When the poll was made.
  public var observedAt: Instant
  /// The configured source that handed in an inbox line; nil for the hand, and for a poll.
  public var sender: String?
  /// The line of the act behind it, an `operator` record; only of what a person handed in.
  public var by: UInt64?

  /// Creates the record of an activity.
  public init(
    user: String, activity: Activity, source: Source, observedAt: Instant, sender: String? = nil,
    by: UInt64? = nil
  ) {
    self.user = user
    self.activity = activity
    self.source = source
    self.observedAt = observedAt
    self.sender = sender
    self.by = by
  }
}

extension EvidenceRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    activity = Activity(
      kind: try coder.field("kind", value?.pointee.activity.kind),
      from: try coder.field("from", value?.pointee.activity.from),
      to: try coder.field("to", value?.pointee.activity.to),
      isOpen: try coder.field("open", value?.pointee.activity.isOpen, unless: false))
    source = try coder.field("source", value?.pointee.source)
    observedAt = try coder.field("observedAt", value?.pointee.observedAt)
    sender = try coder.optional("sender", value?.pointee.sender)
    by = try coder.optional("by", value?.pointee.by)
  }
}

extension ActivityKind: NumberedWord {
  /// The noun for it, used in errors.
  public static var noun: StaticString { "kind of activity" }
  /// The kind's name.
  public var word: String { name }
}

extension Source: NumberedWord {
  /// The noun for it, used in errors.
  public static var noun: StaticString { "source" }
  /// The source's name.
  public var word: String { name }
}

extension FailureCause: Word {
  /// The noun for it, used in errors.
  public static var noun: StaticString { "cause of a failed poll" }
}

extension KindSet: Described {
  /// Coded as a number, with one bit for each kind.
  @inlinable
  public static func code<C: Medium>(
    _ value: KindSet?, with coder: inout C
  ) throws(C.Failure) -> KindSet { KindSet(rawValue: try coder.integer(value?.rawValue)) }
}
