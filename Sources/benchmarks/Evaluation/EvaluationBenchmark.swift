import RewardRules

/// Measures the rules alone, on one thread.
struct EvaluationBenchmark: Benchmark {
  let name = "evaluation"
  let summary = "the rules over many user-days, 30 % active, without any I/O"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let world = EvaluationWorld(users: effort.pick(quick: 200, full: 2_000), days: 60)
    let evaluator = DayEvaluator(rules: .builtIn)
    var walls: [Double] = []
    var processors: [Double] = []
    for round in 1...(effort.rounds * 2) {
      var grants = 0
      let watch = Stopwatch()
      for _ in 0..<10 { grants += world.evaluate(by: evaluator) }
      let elapsed = watch.elapsed
      let userDays = Double(world.userDays * 10)
      walls.append(userDays / elapsed.wall)
      processors.append(userDays / elapsed.processor)
      note(
        "round \(round): \(Figure.count(userDays / elapsed.wall)) user-days/s, "
          + "\(grants) grants in \(Int(userDays)) user-days")
    }
    return [
      ResultRow(
        work: "evaluation, no I/O, one core",
        measured: "\(Figure.count(walls.median)) user-days/s "
          + "(\(Figure.count(processors.median)) by processor time)",
        asked: "5 million/s", isReached: walls.median >= 5e6)
    ]
  }
}
