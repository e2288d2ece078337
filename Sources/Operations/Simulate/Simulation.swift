package import CivilTime
package import Configuration
import Engine
import Foundations
import Ledger
package import LedgerStore
package import RewardRules
import Scheduling

/// Replays history under other rules. Writes nothing; reads the ledger up to its last seal, whether or not a service holds it.
package struct Simulation: Sendable {
  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// Creates a simulation on this configuration's ledger.
  package init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// Reports what `rules` would have done to the closed days in `days` and to everything that depends on them.
  ///
  /// Throws ``LedgerStore/LedgerError`` or ``Configuration/SecretError``.
  package func run(
    _ rules: RulesDocument, on days: ClosedRange<Day>, in reader: LedgerReader
  ) async throws -> SimulationReport {
    try await BlockingThread(named: "rewards.simulate").run {
      try run(rules, on: days, reader)
    }
  }

  /// Reports on the last `count` days that any zone has closed; without such days, only on current days.
  package func run(
    _ rules: RulesDocument, lastDays count: Int, in reader: LedgerReader
  ) async throws -> (days: ClosedRange<Day>?, report: SimulationReport) {
    try await BlockingThread(named: "rewards.simulate").run {
      var last: Day?
      try reader.scan(.ofTypes([.close])) { record in
        guard case .close(let close) = record.body else { return }
        last = max(last ?? close.window.day, close.window.day)
      }
      guard let last else {
        // A day that no user has lived, so that the report covers only current days.
        let never = Day(number: 0)...Day(number: 0)
        return (nil, try run(rules, on: never, reader))
      }
      let days = last.adding(days: Int32(1 - count))...last
      return (days, try run(rules, on: days, reader))
    }
  }

  private func run(
    _ rules: RulesDocument, on days: ClosedRange<Day>, _ reader: LedgerReader
  ) throws -> SimulationReport {
    var reading = SharedReading(
      reader: reader, configuration: configuration, environment: environment)
    reading.base = try base(reader, before: days.lowerBound)
    let part = SimulationPart(rules: rules, days: days)
    var whole = try reading.read(part)
    if !whole.unfit.isEmpty {
      reading.base = nil
      whole.merge(try reading.read(part, of: Set(whole.unfit)))
    }
    return whole.report
  }

  /// Returns the state of a snapshot from before `day` had begun anywhere; nil when none matches the ledger.
  private func base(_ reader: LedgerReader, before day: Day) throws -> LedgerState? {
    let midnight = Instant(seconds: Int64(day.number) * 86_400)
    guard
      let snapshot = (try? reader.newestSnapshot(before: midnight.adding(seconds: -86_400))) ?? nil,
      let state = try reader.state(of: snapshot), state.rules.current != nil
    else { return nil }
    return state
  }
}

/// The effect of other rules on some users.
private struct SimulationPart: PastGathering {
  var needsOpenDays: Bool { true }

  let rules: RulesDocument
  let days: ClosedRange<Day>
  /// All rules that would be in force, once computed; the inner nil means that they do not fit together.
  private var book: RuleBook??
  private(set) var report = SimulationReport()
  /// The users whose past in this reading does not reach back far enough.
  private(set) var unfit: [String] = []

  init(rules: RulesDocument, days: ClosedRange<Day>) {
    self.rules = rules
    self.days = days
  }

  mutating func examine(_ timeline: Timeline) {
    guard let history = timeline.history else { return }
    if history.isIncomplete || history.forgotten.map({ $0 >= days.lowerBound }) ?? false {
      unfit.append(timeline.account.id)
    } else {
      if book == nil {
        book = .some(try? RuleBook(timeline.rules.documents + [rules], isComplete: false))
      }
      report.add(UserSimulation(timeline, trying: rules, on: days, openDaysBy: book ?? nil))
    }
  }

  mutating func merge(_ other: SimulationPart) {
    report.merge(other.report)
    unfit += other.unfit
  }
}
