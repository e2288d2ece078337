import Foundation

/// Seeds of random tests: unit tests take some of those for which a law is known to hold.
public enum Seeds {
  private static let takesAll =
    ProcessInfo.processInfo.environment["REWARDS_SEEDS"] == "all"

  /// `count` of `seeds`, all of them with `REWARDS_SEEDS=all`.
  ///
  /// Each is the seventh from the one before, round and round: tests choose variants by a seed's remainder, and all shall occur.
  public static func some(_ count: Int, of seeds: Range<Int>) -> [Int] {
    precondition(seeds.count % 7 != 0, "the same seeds would come again")
    if takesAll { return Array(seeds) }
    return (0..<count).map { seeds.lowerBound + $0 * 7 % seeds.count }
  }
}
