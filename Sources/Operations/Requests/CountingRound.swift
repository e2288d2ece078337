package import CivilTime
package import Described
import Failures

/// A round of a close over several ledgers: in the first, each ledger polls and counts; in the second, each closes what all have
/// counted.
package struct CountingRound: Sendable, Equatable {
  /// The time before which counts are too old.
  package let since: Instant
  /// Whether it is the second round.
  package let isSecond: Bool

  /// Creates a round of a close that began at `since`.
  package init(since: Instant, isSecond: Bool) {
    self.since = since
    self.isSecond = isSecond
  }

  /// Throws when there is no other ledger.
  func check(_ runtime: Runtime) throws(Failure) {
    guard runtime.environment.sharedCloses != nil else {
      throw Failure(.usage, "there are no other shards to count for")
    }
  }
}

extension CountingRound: DescribedObject {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    since = try coder.field("since", value?.pointee.since)
    isSecond = try coder.field("second", value?.pointee.isSecond)
  }
}
