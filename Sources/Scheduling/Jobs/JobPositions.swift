public import CivilTime
public import Ledger

extension LedgerState {
  /// Whether the fire of `run`, or a later one of its job and zone, has a record.
  func isRecorded(_ run: RunRecord) -> Bool {
    let mark = RunMark(nominal: run.nominal, nominalLocal: run.nominalLocal)
    return lastRuns["\(run.job)|\(run.zone)"].map { mark.isPassed(by: $0) } ?? false
  }

  /// The zones in which days of users end, by name, and since when: those that have users, and those into which some
  /// are moving. A day that is extended by a move ends in the new zone before anybody lives there.
  public var zonesInUse: [String: Instant] {
    zonesSince.merging(arrivals) { min($0, $1) }
  }

  /// Where a job stands in each of its zones, by zone name.
  public func positions(of job: Job) -> [JobPosition] {
    let zones: [(name: String, since: Instant)]
    switch job.place {
    case .zone(let zone):
      // Whoever comes and goes: what is recorded of a zone that the job names itself stays good.
      let since = zonesSince.values.min() ?? at
      zones = [(zone, min(since, lastRuns["\(job.name)|\(zone)"]?.nominal ?? since))]
    case .eachUserZone:
      zones = zonesInUse.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    return zones.map { zone, since in
      JobPosition(
        zone: zone, since: since, last: lastRuns["\(job.name)|\(zone)"], pause: pauses[job.name])
    }
  }
}
