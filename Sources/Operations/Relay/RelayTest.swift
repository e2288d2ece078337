import CivilTime
package import Configuration
import Failures
import LedgerStore
package import NotificationRelay
import Scheduling

/// Sends a test event to a sink; needs no ledger and writes to none.
package struct RelayTest: Sendable {
  /// The result of a test.
  package struct Outcome: Sendable {
    /// The event.
    package let event: CloudEvent
    /// The outcome of the delivery.
    package let outcome: DeliveryOutcome
    /// The receiver's answer.
    package let answer: [UInt8]
  }

  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// Creates a test for the sinks of this configuration.
  package init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// Makes the sink from its secrets and texts, as the service would, and sends nothing; returns what it found, or throws when it cannot be used.
  package func check(_ sink: Configuration.Sink) async throws -> String {
    try await Receivers.make(
      sink, at: configuration.directory, environment, users: NoUsers()
    ).checkUp()
  }

  /// Sends a test event; throws ``Failures/Failure`` when there is no such sink, or the reason it cannot be used.
  package func run(_ name: String) async throws -> Outcome {
    guard let sink = configuration.relay.first(where: { $0.name == name }) else {
      throw Failure.noSink(name, configuration.relay.map(\.name))
    }
    let now = environment.clock.now()
    let event = CloudEvent(
      id: "test/\(name)/\(now)", source: "urn:cheer-supports:rewards",
      type: .relayTest, subject: nil, time: now,
      data: "{\"sink\":\"\(name)\"}")
    let receiver = try Receivers.make(
      sink, at: configuration.directory, environment, users: NoUsers())
    let (outcome, answer) = await receiver.test(event)
    return Outcome(event: event, outcome: outcome, answer: answer)
  }
}
