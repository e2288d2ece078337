import Operations
import Sandbox

/// One run of the service in a demo, from its start to its stop.
struct DemoShift {
  private let workplace: Workplace
  private let signals: ServiceSwitch
  private let running: Task<Void, Never>

  /// Opens the data folder and starts the service on it.
  static func begin(
    _ configuration: Configuration, _ surroundings: WorkplaceSurroundings, _ clock: VirtualClock
  ) async throws -> DemoShift {
    let workplace = try await Workplace.open(configuration, surroundings)
    let signals = ServiceSwitch()
    let service = try await Service.start(workplace, signals: signals)
    return DemoShift(
      workplace: workplace, signals: signals, running: clock.start { await service.run() })
  }

  /// Stops the service and returns its workplace, still open.
  func end() async -> Workplace {
    signals.stop()
    await running.value
    return workplace
  }
}
