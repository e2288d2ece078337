internal import CivilTime
import Configuration
import Operations
import Scheduling

/// Measures a backfill of thirty days with one late activity per user: planned, written down, applied.
struct BackfillBenchmark: Benchmark {
  let name = "backfill"
  let summary = "30 days planned and applied for users of whom all have late evidence; three sizes"

  private static let nights = 30

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let full = effort.pick(quick: 4_000, full: 100_000)
    var times: [Times] = []
    for users in [full / 4, full / 2, full] {
      times.append(try await time(of: users))
      if let last = times.last {
        note(
          "\(users) users, \(last.records) records: plan \(Figure.time(last.planSeconds)), apply "
            + "\(Figure.time(last.applySeconds)), \(last.appended) appended")
      }
    }
    guard let last = times.last, let first = times.first else { return [] }
    return [
      ResultRow(
        work: "backfill of \(Self.nights) days for \(Figure.count(Double(full))) users",
        measured:
          "\(Figure.time(last.seconds)) (plan \(Figure.time(last.planSeconds)), apply "
          + "\(Figure.time(last.applySeconds)))",
        asked: "minutes", isReached: effort.isQuick ? nil : last.seconds < 300),
      ResultRow(
        work:
          "the same for \(times.map { Figure.count(Double($0.users)) }.joined(separator: ", ")) users",
        measured: times.map { Figure.time($0.perUser) }.joined(separator: ", ") + " a user",
        asked: "linear", isReached: last.perUser < 1.25 * first.perUser),
    ]
  }

  private struct Times {
    let users: Int
    let records: Int
    let planSeconds: Double
    let applySeconds: Double
    let appended: Int
    var seconds: Double { planSeconds + applySeconds }
    var perUser: Double { seconds / Double(users) }
  }

  private func time(of users: Int) async throws -> Times {
    let folder = try TemporaryFolder()
    let world = try await PastWorld(users: users, nights: Self.nights, in: folder.path)
    try await world.handInLateComments(users: users)
    let days = PastWorld.firstDay...PastWorld.firstDay.adding(days: Int32(Self.nights))
    let planWatch = Stopwatch()
    let plan = try await BackfillPlanner(world.configuration, world.environment).plan(
      BackfillOrder(days: days), in: LedgerReading.open(world.configuration.directory))
    // Applies the plan as written down.
    let written = try BackfillPlanFile.decode(try BackfillPlanFile.encode(plan))
    let planned = planWatch.elapsed
    guard written.users.count == users else {
      throw PeerFailure(what: "the plan is for \(written.users.count) users instead of \(users)")
    }
    let runtime = try await Runtime.open(world.configuration, world.environment)
    try await runtime.recordRules()
    let applyWatch = Stopwatch()
    let counts = try await BackfillApplication(runtime).apply(written, by: "benchmark").planned
    let applied = applyWatch.elapsed
    await runtime.close()
    return Times(
      users: users, records: world.records, planSeconds: planned.wall,
      applySeconds: applied.wall, appended: counts.appended)
  }
}
