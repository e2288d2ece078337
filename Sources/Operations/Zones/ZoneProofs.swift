package import CivilTime
import Foundations

/// Proves many zones, on all cores.
package struct ZoneProofs: Sendable {
  private let zones: any ZoneSource
  private let years: ClosedRange<Int>

  /// Creates proofs over `years`.
  package init(zones: any ZoneSource, years: ClosedRange<Int>) {
    self.zones = zones
    self.years = years
  }

  /// Returns the results for `names`, in order, with `changes` users per zone who change zones. Throws when a zone is unknown.
  package func run(
    _ names: [String], changes: Int, progress: @escaping @Sendable (_ done: Int) -> Void
  ) async throws -> [ZoneProof.Result] {
    let known = try names.map { try zones.zone(named: $0) }
    let mover = ZoneChangeProof(zones: zones, names: names, years: years)
    let done = Lock(0)
    return await withTaskGroup(of: (Int, ZoneProof.Result).self) { group in
      for (index, zone) in known.enumerated() {
        group.addTask {
          var result = ZoneProof(zone: zone, years: years).run()
          for user in 0..<changes {
            mover.run(home: zone.name, seed: UInt64(index * 100_003 + user), into: &result)
          }
          progress(
            done.withLock { done in
              done += 1
              return done
            })
          return (index, result)
        }
      }
      var results = [ZoneProof.Result?](repeating: nil, count: known.count)
      for await (index, result) in group { results[index] = result }
      return results.compactMap { $0 }
    }
  }
}
