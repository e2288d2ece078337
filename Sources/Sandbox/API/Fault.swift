/// Something that can go wrong with one request. The order of the cases is the order in which they are drawn.
public enum Fault: Int, CaseIterable, Sendable {
  /// 401 although the token is good.
  case unauthorized
  /// 403.
  case forbidden
  /// 429 with `Retry-After`, in either of its forms.
  case throttled
  /// A status from 500 to 504.
  case serverError
  /// The connection closes without a byte.
  case cut
  /// The body breaks off.
  case truncated
  /// A body that is no JSON, or not strictly.
  case notJSON
  /// A body beyond 1 MiB.
  case oversized
  /// A lie: an older value than one told before.
  case olderValue
  /// A lie: nothing where there was something.
  case missingValue
  /// A lie: an instant that has not come yet.
  case futureInstant
  /// A lie: an end that lies before its start.
  case endBeforeStart

  /// The lies; each can be detected by who remembers what was told, or knows the time.
  public static let lies: [Fault] = [.olderValue, .missingValue, .futureInstant, .endBeforeStart]
}

/// How probable each fault is.
public struct FaultRates: Sendable, Equatable {
  private var rates: [Double]

  /// No faults.
  public static let none = FaultRates([:])

  /// These probabilities, from 0 to 1; their sum is at most 1. Faults that are not named do not happen.
  public init(_ probabilities: [Fault: Double]) {
    rates = Fault.allCases.map { probabilities[$0] ?? 0 }
  }

  /// The probability of one fault.
  public subscript(fault: Fault) -> Double {
    get { rates[fault.rawValue] }
    set { rates[fault.rawValue] = newValue }
  }

  /// The fault that a number from 0 to 1 stands for, or nil.
  func fault(at draw: Double) -> Fault? {
    var sum = 0.0
    for fault in Fault.allCases {
      sum += rates[fault.rawValue]
      if draw < sum { return fault }
    }
    return nil
  }
}
