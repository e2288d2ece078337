/// A way for one request to go wrong. The order of the cases is the order in which they are drawn.
package enum Fault: Int, CaseIterable, Sendable {
  /// 401 even though the token is valid.
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
  /// A body that is not JSON, or not strictly.
  case notJSON
  /// A body over 1 MiB.
  case oversized
  /// A lie: an older value than one already reported.
  case olderValue
  /// A lie: nothing where there was something.
  case missingValue
  /// A lie: an instant in the future.
  case futureInstant
  /// A lie: an end before its start.
  case endBeforeStart

  /// The lies; each is detectable by a client that remembers earlier answers, or knows the time.
  package static let lies: [Fault] = [.olderValue, .missingValue, .futureInstant, .endBeforeStart]
}

/// The probability of each fault.
package struct FaultRates: Sendable, Equatable {
  private var rates: [Double]

  /// No faults.
  package static let none = FaultRates([:])

  /// Creates rates from probabilities between 0 and 1, whose sum is at most 1. Faults not named do not occur.
  package init(_ probabilities: [Fault: Double]) {
    rates = Fault.allCases.map { probabilities[$0] ?? 0 }
  }

  /// The probability of one fault.
  package subscript(fault: Fault) -> Double {
    get { rates[fault.rawValue] }
    set { rates[fault.rawValue] = newValue }
  }

  /// Returns the fault for a number drawn from 0 to 1, or nil.
  func fault(at draw: Double) -> Fault? {
    var sum = 0.0
    for fault in Fault.allCases {
      sum += rates[fault.rawValue]
      if draw < sum { return fault }
    }
    return nil
  }
}
