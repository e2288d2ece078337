public import Described
public import Ledger

/// Where an event stands: the line of its record, and its number among the events of that record.
public struct EventPosition: Hashable, Comparable, Sendable {
  /// The record's sequence number.
  public let seq: UInt64
  /// 0 for the record's first event.
  public let index: Int

  /// A position.
  public init(seq: UInt64, index: Int = 0) {
    self.seq = seq
    self.index = index
  }

  /// The position right after this one.
  public var next: EventPosition { EventPosition(seq: seq, index: index + 1) }

  /// Whether `left` comes first in the ledger.
  public static func < (left: EventPosition, right: EventPosition) -> Bool {
    (left.seq, left.index) < (right.seq, right.index)
  }
}

extension EventPosition: DescribedObject {
  /// Its fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    seq = try coder.field("of", value?.pointee.seq)
    index = try coder.field("index", value?.pointee.index, unless: 0)
  }
}

/// Events that must arrive in order, one after the other; different lanes go side by side.
public struct Lane: Hashable, Sendable {
  /// What a lane carries.
  public enum Kind: String, Sendable, Word {
    /// What was recorded of a user, every event.
    case events
    /// A user's state; only the latest matters.
    case account
    /// Events of a user that somebody asked for again.
    case replay
    /// How the service itself is; stands in no ledger.
    case notice

    /// A kind of lane.
    public static var noun: StaticString { "kind of lane" }
  }

  /// What it carries.
  public let kind: Kind
  /// The user; empty for events of no user, or of all where a sink takes one lane only.
  public let user: String

  /// A lane.
  public init(_ kind: Kind = .events, user: String) {
    self.kind = kind
    self.user = user
  }
}

extension Lane: DescribedObject {
  /// Its fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    kind = try coder.field("lane", value?.pointee.kind, unless: .events)
    user = try coder.field("user", value?.pointee.user)
  }
}

/// An event on its way, or, in a lane of accounts, the news that a user's state has changed.
public struct Entry: Sendable, Equatable {
  /// Where it stands in the ledger.
  public let position: EventPosition
  /// In which order it belongs.
  public let lane: Lane
  /// The event; nil for an account, whose state is read when it is sent.
  public let event: CloudEvent?

  /// An entry.
  public init(_ position: EventPosition, lane: Lane, event: CloudEvent?) {
    self.position = position
    self.lane = lane
    self.event = event
  }
}

/// Entries of one lane that are sent together, in order.
public struct Shipment: Sendable, Equatable {
  /// The lane.
  public let lane: Lane
  /// At least one.
  public let entries: [Entry]
  /// Which attempt this is for the first of them, from 1.
  public let attempt: Int
}

/// A part of the ledger as a sink sees it.
public struct Portion: Sendable {
  /// What the sink wants of it, in order.
  public var entries: [Entry] = []
  /// The seals in it, in order.
  public var seals: [LedgerHead] = []
  /// The last line that was read.
  public var through: UInt64

  /// A portion that ends at a line.
  public init(through: UInt64) { self.through = through }
}

/// What a sink's queue wants to be read.
public enum LedgerPart: Sendable, Equatable {
  /// The lines after this one, up to the head.
  case next(after: UInt64)
  /// Lines for lanes that are behind.
  case behind(after: UInt64, through: UInt64, lanes: Set<Lane>)
  /// Events that are to be sent again.
  case again([Lane: [EventPosition]])
}
