package import Described
package import Ledger

/// An event's position in the ledger: its record's line, and its number among that record's events.
package struct EventPosition: Hashable, Comparable, Sendable {
  /// The record's sequence number.
  package let seq: UInt64
  /// 0 for the record's first event.
  package let index: Int

  package init(seq: UInt64, index: Int = 0) {
    self.seq = seq
    self.index = index
  }

  /// The position directly after this one.
  package var next: EventPosition { EventPosition(seq: seq, index: index + 1) }

  /// Returns whether `left` comes first in the ledger.
  package static func < (left: EventPosition, right: EventPosition) -> Bool {
    (left.seq, left.index) < (right.seq, right.index)
  }
}

extension EventPosition: DescribedObject {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    seq = try coder.field("of", value?.pointee.seq)
    index = try coder.field("index", value?.pointee.index, unless: 0)
  }
}

/// A sequence of events that must arrive one after another; different lanes run in parallel.
package struct Lane: Hashable, Sendable {
  /// The content of a lane.
  package enum Kind: String, Sendable, Word {
    /// A user's events, all of them.
    case events
    /// A user's state; only the latest matters.
    case account
    /// A user's events that were requested again.
    case replay
    /// The state of the service itself, which is in no ledger.
    case notice

    /// The noun for kinds of lanes.
    package static var noun: StaticString { "kind of lane" }
  }

  /// The lane's content.
  package let kind: Kind
  /// The user; empty for events of no user, or of all users if a sink has only one lane.
  package let user: String

  package init(_ kind: Kind = .events, user: String) {
    self.kind = kind
    self.user = user
  }
}

extension Lane: DescribedObject {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    kind = try coder.field("lane", value?.pointee.kind, unless: .events)
    user = try coder.field("user", value?.pointee.user)
  }
}

/// An event to be delivered or, in an account lane, the news that a user's state has changed.
package struct LaneEntry: Sendable, Equatable {
  /// Its position in the ledger.
  package let position: EventPosition
  /// The lane it belongs to.
  package let lane: Lane
  /// The event; nil for an account, whose state is read when it is sent.
  package let event: CloudEvent?
  /// Its batch in the window of the main reading; nil if it is tracked elsewhere.
  var batch: Int?

  package init(_ position: EventPosition, lane: Lane, event: CloudEvent?) {
    self.position = position
    self.lane = lane
    self.event = event
  }
}

/// Entries of one lane that are sent together, in order.
package struct Shipment: Sendable, Equatable {
  /// The lane.
  package let lane: Lane
  /// The entries; at least one.
  package let entries: [LaneEntry]
  /// The number of the attempt for the first entry, from 1.
  package let attempt: Int
}

/// A part of the ledger as a sink sees it.
package struct LanePortion: Sendable {
  /// The entries that the sink wants, in order.
  package var entries: [LaneEntry] = []
  /// The seals in it, in order.
  package var seals: [LedgerHead] = []
  /// The last line read.
  package var through: UInt64

  /// Creates a portion that ends at a line.
  package init(through: UInt64) { self.through = through }
}

/// A part of the ledger that a sink's queue wants to read.
package enum LedgerPart: Sendable, Equatable {
  /// The lines after this one, up to the head.
  case next(after: UInt64)
  /// Lines for lanes that are behind.
  case behind(after: UInt64, through: UInt64, lanes: Set<Lane>)
  /// Events to be sent again.
  case again([Lane: [EventPosition]])
}
