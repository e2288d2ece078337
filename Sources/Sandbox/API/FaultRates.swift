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
