/// Measures a night of very many users with several workers on one database, and extrapolates to more of each.
struct FleetBenchmark: Benchmark {
  let name = "fleet"
  let summary = "the night of many users by several workers on PostgreSQL; growth, simulated"

  private static let crowds = [1, 2, 4, 8]
  private static let simulatedUsers = [10_000_000, 100_000_000]

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    guard let server = try DatabaseServer(shards: Self.crowds.reduce(0, +)) else {
      return [
        .alone("night on PostgreSQL", "–", missing: "a PostgreSQL server", askedText: "–")
      ]
    }
    defer { server.stop() }
    let users = effort.pick(quick: 20_000, full: 1_000_000)
    var rows: [ResultRow] = []
    var first: Cost?
    var shard = 0
    for workers in Self.crowds {
      let night = try night(of: users, by: workers, from: shard, on: server)
      shard += workers
      first = first ?? night
      note("workers: \(workers), \(Figure.time(night.wall))")
      rows.append(
        ResultRow(
          work: "night of \(Figure.count(Double(users))) users on PostgreSQL, network excluded, "
            + "\(workers == 1 ? "1 worker" : "\(workers) workers")",
          measured:
            "\(Figure.time(night.wall)); a user takes \(Figure.time(night.worker / Double(users))) of "
            + "the workers' and \(Figure.time(night.server / Double(users))) of the server's processors; "
            + "\(Figure.mebibytes(night.peakBytes)) in a worker at most",
          asked: "–", isReached: nil))
    }
    let look = try await lookSeconds(effort)
    note("a look takes \(Figure.time(look)) of the processor, with request and answer")
    guard let first else { return rows }
    // A poll over the network includes its judging; the night without the network is added for the close.
    let model = GrowthModel(
      workerSeconds: 3 * look + first.worker / Double(users),
      serverSeconds: first.server / Double(users))
    return rows + Self.simulatedUsers.map { Self.row(of: $0, model) }
  }

  private static func row(of users: Int, _ model: GrowthModel) -> ResultRow {
    let nights = crowds.map { model.night(users: users, workers: $0) }
    let requests = nights.map { Figure.count(3 * Double(users) / $0.seconds) }
    return ResultRow(
      work:
        "**simulated** with these service times and \(Figure.time(model.workerSeconds)) of a worker for a user's looks and "
        + "night: \(Figure.count(Double(users))) users, \(crowds.map { "\($0)" }.joined(separator: ", ")) "
        + "workers of \(model.coresOfWorker) cores, a server of \(model.coresOfServer)",
      measured: nights.map { Figure.time($0.seconds) }.joined(separator: ", ")
        + "; the server's processors are busy for "
        + nights.map { "\(Int(($0.serverLoad * 100).rounded())) %" }.joined(separator: ", ")
        + "; the API would bear \(requests.joined(separator: ", ")) requests/s",
      asked: "–", isReached: nil)
  }

  /// The cost of a night.
  private struct Cost {
    var wall = 0.0
    /// The processor seconds of all workers.
    var worker = 0.0
    /// The processor seconds of the server.
    var server = 0.0
    var peakBytes = 0
  }

  /// Measures a night of users divided among concurrent workers, each with one shard.
  private func night(
    of users: Int, by workers: Int, from shard: Int, on server: DatabaseServer
  ) throws -> Cost {
    let helpers = try (0..<workers).map { number in
      try PeerProcess.itself([
        HelperProcess.shardNight, "\(users / workers) \(shard + number) \(server.address)",
      ])
    }
    for helper in helpers { _ = try helper.readLine() }
    var cost = Cost()
    (cost.wall, cost.server) = try server.measuring {
      for helper in helpers { try helper.say("go") }
      for helper in helpers {
        guard let report = NightHelper.Report(try helper.readLine()) else {
          throw PeerFailure(what: "the helper of the night gave no report")
        }
        cost.worker += report.processorSeconds
        cost.peakBytes = max(cost.peakBytes, report.peakBytes)
      }
    }
    for helper in helpers { helper.wait() }
    return cost
  }

  /// Returns the processor time of a poll, including request, answer and judging.
  private func lookSeconds(_ effort: Effort) async throws -> Double {
    let users = effort.pick(quick: 3_000, full: 30_000)
    let server = try PeerProcess.itself([HelperProcess.serveAPI, "\(users)"])
    defer { server.wait() }
    let sweep = try Sweep(PollingWorld(users: users), baseURL: try server.readLine())
    defer { sweep.close() }
    _ = try await sweep.run(onDisk: false)
    var seconds: [Double] = []
    for _ in 0..<effort.rounds {
      let outcome = try await sweep.run(onDisk: false)
      seconds.append(outcome.elapsed.processor / Double(outcome.looks))
    }
    return seconds.median
  }
}
