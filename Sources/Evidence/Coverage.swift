public import CivilTime

/// The instants in which nothing unknown happened, as disjoint half-open intervals in order.
public struct Coverage: Hashable, Sendable {
  /// One covered stretch `[from, to)`.
  public struct Interval: Hashable, Sendable {
    /// The first covered instant.
    public var from: Instant
    /// The first instant after the stretch.
    public var to: Instant

    /// Creates a stretch.
    public init(from: Instant, to: Instant) {
      self.from = from
      self.to = to
    }
  }

  // There is nearly always one stretch, and a user has several coverages, so only further stretches allocate memory.
  private var earlier: [Interval] = []
  /// The last stretch; empty when nothing is covered.
  private var newest = Interval(from: .earliest, to: .earliest)

  /// Creates an empty coverage.
  public init() {}

  /// The stretches, in order, neither touching nor overlapping.
  public var intervals: [Interval] {
    get { last.map { earlier + [$0] } ?? [] }
    set {
      earlier = Array(newValue.dropLast())
      newest = newValue.last ?? Interval(from: .earliest, to: .earliest)
    }
  }

  /// The last stretch; nil when nothing is covered.
  public var last: Interval? { newest.from < newest.to ? newest : nil }

  /// Adds `[from, to)`; an empty stretch adds nothing.
  public mutating func cover(from: Instant, to: Instant) {
    guard from < to else { return }
    guard let last else {
      newest = Interval(from: from, to: to)
      return
    }
    // The usual poll extends the last stretch.
    if last.from <= from, from <= last.to {
      newest.to = max(last.to, to)
      return
    }
    var merged = Interval(from: from, to: to)
    var kept: [Interval] = []
    let known = intervals
    kept.reserveCapacity(known.count + 1)
    for interval in known {
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

  /// Drops everything before `boundary`.
  public mutating func drop(before boundary: Instant) {
    if newest.to <= boundary {
      self = Coverage()
      return
    }
    newest.from = max(newest.from, boundary)
    if earlier.isEmpty { return }
    earlier.removeAll { $0.to <= boundary }
    if let first = earlier.first, first.from < boundary { earlier[0].from = boundary }
  }

  /// Drops each stretch that reaches beyond `instant`. Which poll proved which part of it is no longer known.
  public mutating func drop(beyond instant: Instant) {
    guard let last, last.to > instant else { return }
    intervals = intervals.filter { $0.to <= instant }
  }

  /// Returns the parts of `[from, to)` that are not covered, in order.
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

  /// Returns whether all of `[from, to)` is covered.
  public func covers(from: Instant, to: Instant) -> Bool {
    func holds(_ interval: Interval) -> Bool { interval.from <= from && to <= interval.to }
    return from >= to || last.map(holds) ?? false || earlier.contains(where: holds)
  }

  /// Returns the end of the unbroken coverage from `from` on; `from` itself if it is not covered.
  public func coveredThrough(from: Instant) -> Instant {
    func holds(_ interval: Interval) -> Bool { interval.from <= from && from < interval.to }
    if let last, holds(last) { return last.to }
    return earlier.first(where: holds)?.to ?? from
  }
}
