import CivilTime
import Operations
import Scheduling

extension Runtime {
  /// Brings in users by these lines of a roster; UTC is the zone of those who name none.
  func hire(_ roster: String) async throws {
    _ = try await RosterImport(writer).run(
      RosterFile(Array(roster.utf8)), defaultZone: "UTC", by: "test")
  }
}

extension TestPlace {
  /// Opens the place as a command does: by a clock that can be right, with the rules in use.
  func openTrusting(_ clock: any ServiceClock) async throws -> Runtime {
    let runtime = try await Runtime.open(configuration(), environment(clock))
    do {
      try await runtime.checkClock(isConfirmed: false)
      try await runtime.recordRules()
    } catch {
      await runtime.close()
      throw error
    }
    return runtime
  }

  /// Opens the place with a clock that stands at `text`, lets `work` work, and closes it.
  func at<Result>(
    _ text: String, _ work: (Runtime) async throws -> Result
  ) async throws -> Result {
    let runtime = try await open(FixedClock(at: try InstantText.parse(text).instant))
    try await runtime.recordRules()
    let result = try await work(runtime)
    await runtime.close()
    return result
  }
}
