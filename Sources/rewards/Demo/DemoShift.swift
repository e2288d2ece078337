import Configuration
import Operations
import Sandbox

/// One run of the service in a demo, from its start to its stop.
struct DemoShift {
  private let runtime: Runtime
  private let signals: ServiceSwitch
  private let running: Task<Void, Never>

  /// Opens the data folder and starts the service on it.
  static func begin(
    _ configuration: Configuration, _ environment: RuntimeEnvironment, _ clock: VirtualClock
  ) async throws -> DemoShift {
    let runtime = try await Runtime.open(configuration, environment)
    let signals = ServiceSwitch()
    let service = try await Service.start(runtime, signals: signals)
    return DemoShift(
      runtime: runtime, signals: signals, running: clock.start { await service.run() })
  }

  /// Stops the service and returns its runtime, still open.
  func end() async -> Runtime {
    signals.stop()
    await running.value
    return runtime
  }
}
