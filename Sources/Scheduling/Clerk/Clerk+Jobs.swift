import CivilTime
public import Ledger

extension Clerk {
  /// Where a job stands in each of its zones, by zone name.
  public func positions(of job: Job) -> [JobPosition] { desk.book.positions(of: job) }
}

extension Book {
  /// Where a job stands in each of its zones, by zone name.
  public func positions(of job: Job) -> [JobPosition] {
    let zones: [(name: String, since: Instant)]
    switch job.place {
    case .zone(let zone): zones = [(zone, zonesSince.values.min() ?? at)]
    case .eachUserZone: zones = zonesSince.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    return zones.map { zone, since in
      JobPosition(
        zone: zone, since: since, last: lastRuns["\(job.name)|\(zone)"], pause: pauses[job.name])
    }
  }
}
