import CivilTime
import Operations

extension TestPlace {
  /// Opens the place with a clock that stands at `text`, lets `work` work, and closes it.
  func at<Result>(
    _ text: String, _ work: (Runtime) async throws -> Result
  ) async throws -> Result {
    let runtime = try await open(FixedClock(at: try InstantText.parse(text).instant))
    try await runtime.putRulesIntoUse()
    let result = try await work(runtime)
    await runtime.close()
    return result
  }
}
