import Foundations
import Glibc

/// The command `simulation`.
@main
enum Simulator {
  private static let disk = SimulatedDisk()

  static func main() {
    Executor.install()
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      var failures = 0
      for seed in options.seeds where try !play(seed, options) { failures += 1 }
      exit(failures == 0 ? 0 : 1)
    } catch {
      print(error)
      exit(64)
    }
  }

  /// Plays the history of a seed; whether all was as it must be.
  private static func play(_ seed: UInt64, _ options: Options) throws -> Bool {
    var chosen = options.world
    chosen.seed = seed
    let world = World(chosen)
    var schedule =
      chosen.isQuiet
      ? Schedule.quiet : Schedule(seed: seed, days: chosen.days, users: chosen.users)
    schedule.mishaps = schedule.mishaps.enumerated().filter { !options.dropped.contains($0.offset) }
      .map(\.element)
    let simulation = try Simulation(world, schedule, disk: disk, keepsDiary: options.showsDiary)
    var flaw: Flaw?
    do {
      try simulation.run()
      try Verdict(simulation: simulation).check()
    } catch {
      flaw = error as? Flaw ?? Flaw("error", "\(error)")
    }
    if options.showsDiary { for line in simulation.story { print(line) } }
    if options.exports {
      let line = Export(simulation: simulation).line(flaw: flaw)
      put(line)
    } else {
      put(Array("\(seed) \(simulation.digest) \(flaw?.description ?? "passed")\n".utf8))
    }
    return flaw == nil
  }

  /// Whole lines, at once: whoever reads them judges meanwhile.
  private static func put(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { exit(74) }
      rest = rest.dropFirst(count)
    }
  }

  /// What the command line says.
  private struct Options {
    var world = World.Options()
    var seeds: ClosedRange<UInt64> = 1...1
    var dropped: Set<Int> = []
    var exports = false
    var showsDiary = false

    init(_ arguments: ArraySlice<String>) throws {
      var rest = arguments
      while let word = rest.popFirst() {
        switch word {
        case "--seeds":
          let parts = try Self.value(&rest, word).split(separator: "-").compactMap { UInt64($0) }
          guard let first = parts.first, let last = parts.last, first <= last else {
            throw Flaw("usage", "--seeds A-B")
          }
          seeds = first...last
        case "--days": world.days = try Self.number(&rest, word)
        case "--users": world.users = try Self.number(&rest, word)
        case "--drop":
          dropped = Set(try Self.value(&rest, word).split(separator: ",").compactMap { Int($0) })
        case "--quiet": world.isQuiet = true
        case "--export": exports = true
        case "--diary": showsDiary = true
        default:
          throw Flaw(
            "usage",
            "simulation [--seeds A-B] [--days D] [--users U] [--drop N,M] [--quiet] [--diary] [--export], not \(word)"
          )
        }
      }
    }

    private static func value(_ rest: inout ArraySlice<String>, _ word: String) throws -> String {
      guard let value = rest.popFirst() else { throw Flaw("usage", "\(word) needs a value") }
      return value
    }

    private static func number(_ rest: inout ArraySlice<String>, _ word: String) throws -> Int {
      guard let number = Int(try value(&rest, word)), number > 0 else {
        throw Flaw("usage", "\(word) needs a number above 0")
      }
      return number
    }
  }
}
