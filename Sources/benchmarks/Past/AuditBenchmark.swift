import AuditPage
internal import CivilTime
import Configuration
import LedgerStore
import Operations
internal import RewardRules

/// Measures all checks on a healthy ledger without snapshots, compared with a database that only groups its lines by type; also a
/// simulation of other rules on all of it, and on its last days from a snapshot.
struct AuditBenchmark: Benchmark {
  let name = "audit"
  let summary = "the full audit, beside DuckDB's GROUP BY over the same files; other rules tried"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let folder = try TemporaryFolder()
    let users = effort.pick(quick: 10_000, full: 100_000)
    let world = try await PastWorld(users: users, nights: 17, in: folder.path)
    let duck = try PythonPeer(
      PackageResources.group_py, needing: "duckdb",
      [
        "\(DataDirectory(world.configuration.data).ledger)/*.jsonl",
        ", columns={'type': 'VARCHAR'}",
      ])
    var ours: [Double] = []
    var theirs: [Double] = []
    var simulated: [Double] = []
    var userDays = 0
    for round in 1...effort.rounds {
      let watch = Stopwatch()
      let report = try await Audit(world.configuration, world.environment).run()
      let elapsed = watch.elapsed
      guard report.passed else { throw PeerFailure(what: "the audit found something") }
      ours.append(elapsed.wall)
      if let duck { theirs.append(try duck.run().seconds) }
      let trial = Stopwatch()
      let days = PastWorld.firstDay...PastWorld.firstDay.adding(days: 400)
      let simulation = try await Simulation(world.configuration, world.environment).run(
        .builtIn, on: days, in: LedgerReading.open(world.configuration.directory))
      simulated.append(trial.elapsed.wall)
      userDays = simulation.userDays
      note(
        "\(world.records) records, round \(round): audit \(Figure.time(elapsed.wall)) "
          + "(processor \(Figure.time(elapsed.processor))), simulation "
          + Figure.time(simulated.last ?? 0)
          + (theirs.last.map { ", DuckDB \(Figure.time($0))" } ?? ""))
    }
    let late = try await simulateLastDays(of: world)
    let work = "full audit, \(Figure.count(Double(world.records))) records, no snapshot"
    let measured =
      "\(Figure.time(ours.median)), \(Figure.count(Double(world.records) / ours.median)) records/s"
    let trial = ResultRow(
      work: "simulate, \(Figure.count(Double(userDays))) user-days",
      measured: Figure.time(simulated.median), asked: "seconds for a million",
      isReached: effort.isQuick ? nil : simulated.median < 10)
    guard duck != nil else {
      return [.alone(work, measured, missing: "DuckDB for Python", askedText: "0.5"), trial, late]
    }
    return [
      .compared(
        work, measured, peer: "DuckDB \(Figure.time(theirs.median))",
        ratio: theirs.median / ours.median, atLeast: 0.5, askedText: "0.5"),
      trial, late,
    ]
  }

  /// Simulates the last three days of the past, from an earlier snapshot such as services keep for each month.
  private func simulateLastDays(of world: PastWorld) async throws -> ResultRow {
    let days = world.lastDay.adding(days: -2)...world.lastDay
    let simulation = Simulation(world.configuration, world.environment)
    let ledger = try await LedgerReading.open(world.configuration.directory)
    let whole = Stopwatch()
    let expected = try await simulation.run(.builtIn, on: days, in: ledger)
    let wholeSeconds = whole.elapsed.wall
    try world.writeSnapshot(before: days.lowerBound.adding(days: -1))
    let trial = Stopwatch()
    let found = try await simulation.run(.builtIn, on: days, in: ledger)
    let seconds = trial.elapsed.wall
    guard found.userDays == expected.userDays, found.was == expected.was else {
      throw PeerFailure(what: "a simulation from a snapshot says something else")
    }
    return ResultRow(
      work: "simulate the last 3 days, \(Figure.count(Double(found.userDays))) user-days, "
        + "from a snapshot",
      measured: Figure.time(seconds), peer: "from the beginning: \(Figure.time(wholeSeconds))",
      ratio: Figure.ratio(wholeSeconds / seconds), asked: "–", isReached: nil)
  }
}
