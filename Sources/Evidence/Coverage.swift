public import CivilTime

/// A set of instants in which nothing happened but what is known: disjoint half-open intervals in order.
public struct Coverage: Hashable, Sendable {
  /// One covered stretch `[from, to)`.
  public struct Interval: Hashable, Sendable {
    /// The first covered instant.
    public var from: Instant
    /// The first instant after it.
    public var to: Instant

    /// A stretch.
    public init(from: Instant, to: Instant) {
      self.from = from
      self.to = to
    }
  }

  /// The stretches, in order, neither touching nor overlapping.
  public private(set) var intervals: [Interval] = []

  /// Nothing is covered.
  public init() {}

  /// Adds `[from, to)`; an empty stretch adds nothing.
  public mutating func cover(from: Instant, to: Instant) {
    guard from < to else { return }
    // The usual look prolongs the last stretch.
    if let last = intervals.last, last.from <= from, from <= last.to {
      if to > last.to { intervals[intervals.count - 1].to = to }
      return
    }
    var merged = Interval(from: from, to: to)
    var kept: [Interval] = []
    kept.reserveCapacity(intervals.count + 1)
    for interval in intervals {
      if interval.to < merged.from || merged.to < interval.from {
        kept.append(interval)
      } else {
        merged.from = min(merged.from, interval.from)
        merged.to = max(merged.to, interval.to)
      }
    }
    let position = kept.firstIndex { merged.to < $0.from } ?? kept.count
    kept.insert(merged, at: position)
    intervals = kept
  }

  /// Forgets all before `boundary`.
  public mutating func drop(before boundary: Instant) {
    guard let first = intervals.first, first.from < boundary else { return }
    intervals.removeAll { $0.to <= boundary }
    if let first = intervals.first, first.from < boundary { intervals[0].from = boundary }
  }

  /// Forgets all from `instant` on.
  public mutating func drop(from instant: Instant) {
    guard let last = intervals.last, last.to > instant else { return }
    intervals.removeAll { $0.from >= instant }
    if let last = intervals.last, last.to > instant {
      intervals[intervals.count - 1].to = instant
    }
  }

  /// The parts of `[from, to)` that are not covered, in order.
  public func gaps(from: Instant, to: Instant) -> [Interval] {
    var gaps: [Interval] = []
    var position = from
    for interval in intervals where interval.to > position {
      if interval.from >= to { break }
      if interval.from > position { gaps.append(Interval(from: position, to: interval.from)) }
      position = max(position, interval.to)
    }
    if position < to { gaps.append(Interval(from: position, to: to)) }
    return gaps
  }

  /// Whether all of `[from, to)` is covered.
  public func covers(from: Instant, to: Instant) -> Bool {
    from >= to || intervals.contains { $0.from <= from && to <= $0.to }
  }

  /// Up to where `[from, …)` is covered without a gap; `from` itself when it is not.
  public func coveredThrough(from: Instant) -> Instant {
    intervals.first { $0.from <= from && from < $0.to }?.to ?? from
  }
}
