public import CivilTime

/// A number that a route told, and was believed.
public struct CountReading: Hashable, Sendable {
  /// The number; 0 for "nothing yet".
  public var value: Int64
  /// Whether the answer held a number.
  public var isStated: Bool
  /// The first instant at which it may have been so: that of the look, less the API's lag.
  public var from: Instant
  /// A smaller number that the newest look told: an answer of an old copy, unless a second look tells the same.
  public var doubted: Int64?

  /// A reading.
  public init(value: Int64, isStated: Bool, from: Instant, doubted: Int64? = nil) {
    self.value = value
    self.isStated = isStated
    self.from = from
    self.doubted = doubted
  }
}

/// A look at a route that tells only how many there are.
public struct CountedLook: Sendable {
  /// The number; nil for "nothing yet".
  public let value: Int64?
  /// When the question was asked.
  public let at: Instant
  /// When the answer was there.
  public let by: Instant

  /// A look.
  public init(value: Int64?, at: Instant, by: Instant) {
    self.value = value
    self.at = at
    self.by = by
  }
}

extension RouteHistory {
  /// Takes in a look at a route that tells how many activities of `kind` stand: adds what it proves, and returns what it shows.
  ///
  /// A number that is larger than the last one proves an activity between the two looks; it is told, with the instant of the
  /// answer, only where one of `windows` holds all of that time. The same number twice proves that none was added and stayed.
  /// Whatever else comes proves nothing: a smaller number, which is believed once two looks in a row tell it, and "nothing"
  /// after a number.
  public mutating func observe(
    _ look: CountedLook, of kind: ActivityKind, lagSeconds: Int64, in windows: [DayWindow]
  ) -> Observed {
    var observed = Observed()
    let fresh = look.at.adding(seconds: -lagSeconds)
    looks &+= 1
    let told = CountReading(value: look.value ?? 0, isStated: look.value != nil, from: fresh)
    guard let last = reading else {
      reading = told
      return observed
    }
    // Overtaken by a newer answer on its way.
    guard fresh >= last.from else { return observed }
    if !told.isStated, last.value > 0 {
      observed.doubts.append(.lyingAnswer("no number, after \(last.value)"))
    } else if told.value < last.value {
      if last.doubted == told.value { reading = told } else { reading?.doubted = told.value }
    } else {
      reading = told
      if told.value == last.value {
        if last.doubted == nil { coverage.cover(from: last.from, to: fresh) }
      } else if last.isStated,
        windows.contains(where: { $0.contains(last.from) && $0.contains(look.by) })
      {
        observed.seen = [Activity(kind: kind, from: look.by, to: look.by)]
      }
    }
    return observed
  }
}
