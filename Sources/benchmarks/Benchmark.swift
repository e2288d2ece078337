/// One kind of work to measure.
protocol Benchmark: Sendable {
  /// What it is called on the command line.
  var name: String { get }
  /// What is measured, for the help.
  var summary: String { get }
  /// Measures; reports what it does, because a run takes minutes.
  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow]
}

/// How thorough a run is.
struct Effort: Sendable {
  /// Small sizes and few rounds: to see that everything works. The figures are not for publication.
  let isQuick: Bool

  /// How often each side is measured, in turns.
  var rounds: Int { isQuick ? 2 : 5 }

  /// One of two sizes.
  func pick(quick: Int, full: Int) -> Int { isQuick ? quick : full }
}
