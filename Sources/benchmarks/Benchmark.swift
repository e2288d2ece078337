/// One kind of work to measure.
protocol Benchmark: Sendable {
  /// The name on the command line.
  var name: String { get }
  /// A summary for the help.
  var summary: String { get }
  /// Runs the measurement; reports progress through `note`, because a run takes minutes.
  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow]
}

/// The thoroughness of a run.
struct Effort: Sendable {
  /// Whether to use small sizes and few rounds, to check that everything works. The figures are not for publication.
  let isQuick: Bool

  /// How often each side is measured, in alternation.
  var rounds: Int { isQuick ? 2 : 5 }

  /// Returns one of two sizes.
  func pick(quick: Int, full: Int) -> Int { isQuick ? quick : full }
}
