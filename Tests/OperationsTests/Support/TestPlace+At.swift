import CivilTime
import Operations

extension TestPlace {
  /// Opens the place with a clock that stands at `text`, lets `work` work, and closes it.
  func at<Result>(
    _ text: String, _ work: (Workplace) async throws -> Result
  ) async throws -> Result {
    let workplace = try await open(FixedClock(at: try InstantText.parse(text).instant))
    try await workplace.putRulesIntoUse()
    let result = try await work(workplace)
    await workplace.close()
    return result
  }
}
