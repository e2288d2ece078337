import CivilTime
import Configuration
import Foundations
import Ledger
import LedgerStore
import Operations
import Scheduling

/// A process of the machine that runs the service, from its start to its end, whatever that is.
final class ServiceProcess: Sendable {
  /// How it is.
  enum Phase: Equatable {
    case starting
    case running
    case ended
    /// It could not go on, with the reason.
    case failed(String)
  }

  private struct State {
    var phase = Phase.starting
    var runtime: Runtime?
    var service: Service?
  }

  let number: ProcessNumber
  private let signals = ServiceSwitch()
  private let state = Lock(State())

  /// Starts the service.
  init(_ number: ProcessNumber, _ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.number = number
    Executor.shared.act(as: number) {
      _ = Task { await self.run(configuration, environment) }
    }
  }

  /// Touches the switch, as a signal to the process does.
  func tell(_ touch: (ServiceSwitch) -> Void) {
    if !Executor.shared.isDead(number) { Executor.shared.act(as: number) { touch(signals) } }
  }

  var phase: Phase { state.withLock { $0.phase } }
  /// The opened data folder, while the process has it.
  var runtime: Runtime? { state.withLock { $0.phase == .running ? $0.runtime : nil } }
  var service: Service? { state.withLock { $0.service } }
  /// The last commit that is acknowledged.
  var head: LedgerHead? { state.withLock { $0.runtime }?.store?.head }

  private func run(_ configuration: Configuration, _ environment: RuntimeEnvironment) async {
    do {
      let runtime = try await Runtime.open(configuration, environment)
      state.withLock { $0.runtime = runtime }
      do {
        let service = try await Service.start(runtime, signals: signals)
        state.withLock { state in
          state.service = service
          state.phase = .running
        }
        await service.run()
      } catch {
        await runtime.close()
        throw error
      }
      await runtime.close()
      state.withLock { $0.phase = .ended }
    } catch {
      state.withLock { $0.phase = .failed("\(error)") }
    }
  }
}
