public import CivilTime

/// A count reported by a route and believed.
public struct CountReading: Hashable, Sendable {
  /// The count; 0 for "nothing yet".
  public var value: Int64
  /// Whether the answer contained a count.
  public var isStated: Bool
  /// The earliest instant at which the count may have been true: that of the poll, less the API's lag.
  public var from: Instant
  /// A smaller count in the newest poll. It is taken for a stale answer unless a second poll repeats it.
  public var doubted: Int64?

  /// Creates a reading.
  public init(value: Int64, isStated: Bool, from: Instant, doubted: Int64? = nil) {
    self.value = value
    self.isStated = isStated
    self.from = from
    self.doubted = doubted
  }
}

extension RouteHistory {
  /// Applies a poll of a route that counts activities of `kind`, and returns what it shows: `count`, or nil for
  /// "nothing yet", requested at `at` and answered by `by`.
  ///
  /// A larger count than the last one proves an activity between the two polls. It is reported, at the instant of the
  /// answer, only if one of `windows` contains that whole time. An equal count proves that none was added and kept.
  /// Nothing else proves anything: a smaller count, which is believed once two polls in a row report it, or "nothing"
  /// after a count.
  public mutating func observe(
    _ count: Int64?, at: Instant, by: Instant, of kind: ActivityKind, lagSeconds: Int64,
    in windows: [DayWindow]
  ) -> Observed {
    var observed = Observed()
    let fresh = at.adding(seconds: -lagSeconds)
    looks &+= 1
    let told = CountReading(value: count ?? 0, isStated: count != nil, from: fresh)
    guard let last = reading else {
      reading = told
      return observed
    }
    // A newer answer arrived first.
    guard fresh >= last.from else { return observed }
    if !told.isStated, last.value > 0 {
      observed.doubts.append(.lyingAnswer("no number, after the count \(last.value)"))
    } else if told.value < last.value {
      if last.doubted == told.value { reading = told } else { reading?.doubted = told.value }
    } else {
      reading = told
      if told.value == last.value {
        if last.doubted == nil { coverage.cover(from: last.from, to: fresh) }
      } else if last.isStated,
        windows.contains(where: { $0.contains(last.from) && $0.contains(by) })
      {
        observed.seen = [Activity(kind: kind, from: by, to: by)]
      }
    }
    return observed
  }
}
