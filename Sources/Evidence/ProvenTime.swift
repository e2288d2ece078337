public import CivilTime

/// How long a user did something within one window, as proven by evidence. Overlaps count once.
public struct ProvenTime: Sendable {
  private struct Span: Sendable {
    let from: Instant
    let to: Instant
    let seq: UInt64
  }

  private let window: DayWindow
  private let counting: ActivityPolicy.Counting
  private var spans: [Span] = []

  /// Creates a proven time of zero.
  public init(in window: DayWindow, counting: ActivityPolicy.Counting) {
    self.window = window
    self.counting = counting
  }

  /// Adds the part of an activity that lies in the window, if any.
  public mutating func add(_ activity: Activity, seq: UInt64) {
    guard let from = activity.effective(in: window, counting: counting) else { return }
    let to = min(activity.to, window.end)
    if from < to { spans.append(Span(from: from, to: to, seq: seq)) }
  }

  /// The total, in nanoseconds.
  public var nanoseconds: Int64 {
    var sum: Int64 = 0
    _ = walk { from, to, _ in
      sum += to.nanoseconds(since: from)
      return nil
    }
    return sum
  }

  /// Returns the instant at which the total reached `seconds`, with the evidence that lasted until then; nil if it never did.
  public func reaching(seconds: Int64) -> EarliestEvidence? {
    var missing = seconds * 1_000_000_000
    return walk { from, to, seq in
      let length = to.nanoseconds(since: from)
      if length < missing {
        missing -= length
        return nil
      }
      return EarliestEvidence(effective: from.adding(nanoseconds: missing), seq: seq)
    }
  }

  /// Walks the proven time in order, without repeating any of it, until `body` returns a value.
  private func walk(
    _ body: (_ from: Instant, _ to: Instant, _ seq: UInt64) -> EarliestEvidence?
  ) -> EarliestEvidence? {
    var reached = window.start
    for span in spans.sorted(by: { ($0.from, $0.seq) < ($1.from, $1.seq) })
    where span.to > reached {
      if let found = body(max(span.from, reached), span.to, span.seq) { return found }
      reached = span.to
    }
    return nil
  }
}
