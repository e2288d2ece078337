public import Described
public import Ledger

/// An event's position in the ledger: its record's line, and its number among that record's events.
public struct EventPosition: Hashable, Comparable, Sendable {
  /// The record's sequence number.
  public let seq: UInt64
  /// 0 for the record's first event.
  public let index: Int

  /// Creates a position.
  public init(seq: UInt64, index: Int = 0) {
    self.seq = seq
    self.index = index
  }

  /// The position directly after this one.
  public var next: EventPosition { EventPosition(seq: seq, index: index + 1) }

  /// Returns whether `left` comes first in the ledger.
  public static func < (left: EventPosition, right: EventPosition) -> Bool {
    (left.seq, left.index) < (right.seq, right.index)
  }
}

extension EventPosition: DescribedObject {
  /// Reads or writes the fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    seq = try coder.field("of", value?.pointee.seq)
    index = try coder.field("index", value?.pointee.index, unless: 0)
  }
}

/// A sequence of events that must arrive one after another; different lanes run in parallel.
public struct Lane: Hashable, Sendable {
  /// The content of a lane.
  public enum Kind: String, Sendable, Word {
    /// A user's events, all of them.
    case events
    /// A user's state; only the latest matters.
    case account
    /// A user's events that were requested again.
    case replay
    /// The state of the service itself, which is in no ledger.
    case notice

    /// The noun for kinds of lanes.
    public static var noun: StaticString { "kind of lane" }
  }

  /// The lane's content.
  public let kind: Kind
  /// The user; empty for events of no user, or of all users if a sink has only one lane.
  public let user: String

  /// Creates a lane.
  public init(_ kind: Kind = .events, user: String) {
    self.kind = kind
    self.user = user
  }
}

extension Lane: DescribedObject {
  /// Reads or writes the fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    kind = try coder.field("lane", value?.pointee.kind, unless: .events)
    user = try coder.field("user", value?.pointee.user)
  }
}

/// An event to be delivered or, in an account lane, the news that a user's state has changed.
public struct LaneEntry: Sendable, Equatable {
  /// Its position in the ledger.
  public let position: EventPosition
  /// The lane it belongs to.
  public let lane: Lane
  /// The event; nil for an account, whose state is read when it is sent.
  public let event: CloudEvent?

  /// Creates an entry.
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
  /// The entries; at least one.
  public let entries: [LaneEntry]
  /// The number of the attempt for the first entry, from 1.
  public let attempt: Int
}

/// A part of the ledger as a sink sees it.
public struct LanePortion: Sendable {
  /// The entries that the sink wants, in order.
  public var entries: [LaneEntry] = []
  /// The seals in it, in order.
  public var seals: [LedgerHead] = []
  /// The last line read.
  public var through: UInt64

  /// Creates a portion that ends at a line.
  public init(through: UInt64) { self.through = through }
}

/// A part of the ledger that a sink's queue wants to read.
public enum LedgerPart: Sendable, Equatable {
  /// The lines after this one, up to the head.
  case next(after: UInt64)
  /// Lines for lanes that are behind.
  case behind(after: UInt64, through: UInt64, lanes: Set<Lane>)
  /// Events to be sent again.
  case again([Lane: [EventPosition]])
}
