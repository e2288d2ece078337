public import CivilTime
public import Configuration
import Engine
import Ledger
import LedgerStore
public import RewardRules
import Scheduling
import Threading

/// Replays history under other rules. Writes nothing; reads the ledger up to its last seal, whether a service holds it or
/// not.
public struct Simulation: Sendable {
  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// A simulation over the ledger of this configuration.
  public init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// What `rules` would have made of the closed days among `days`, and of all that hangs on them.
  ///
  /// Throws ``LedgerStore/LedgerError`` or ``Configuration/SecretError``.
  public func run(
    _ rules: RulesDocument, on days: ClosedRange<Day>
  ) async throws -> SimulationReport {
    try await BlockingThread(named: "rewards.simulate").run {
      try run(rules, on: days, LedgerReader.open(DataDirectory(configuration.data)))
    }
  }

  /// The same for the last `count` days that any zone has closed.
  public func run(
    _ rules: RulesDocument, lastDays count: Int
  ) async throws -> (days: ClosedRange<Day>?, report: SimulationReport) {
    try await BlockingThread(named: "rewards.simulate").run {
      let reader = try LedgerReader.open(DataDirectory(configuration.data))
      var last: Day?
      try reader.readRecords(ofTypes: [.close]) { record in
        guard case .close(let close) = record.body else { return }
        last = max(last ?? close.window.day, close.window.day)
      }
      guard let last else { return (nil, SimulationReport()) }
      let days = last.adding(days: Int32(1 - count))...last
      return (days, try run(rules, on: days, reader))
    }
  }

  private func run(
    _ rules: RulesDocument, on days: ClosedRange<Day>, _ reader: LedgerReader
  ) throws -> SimulationReport {
    try SharedReading(reader: reader, configuration: configuration, environment: environment)
      .read(SimulationPart(rules: rules, days: days)).report
  }
}

/// What other rules make of some users.
private struct SimulationPart: PastGathering {
  let rules: RulesDocument
  let days: ClosedRange<Day>
  private(set) var report = SimulationReport()

  init(rules: RulesDocument, days: ClosedRange<Day>) {
    self.rules = rules
    self.days = days
  }

  mutating func examine(_ timeline: Timeline) {
    report.add(UserSimulation(timeline, trying: rules, on: days))
  }

  mutating func merge(_ other: SimulationPart) { report.merge(other.report) }
}
