package import AuditPage
package import CivilTime
import Configuration
import RewardRules
import Scheduling

/// Compares the ledgers of a database with each other, to find what no ledger alone can show.
package struct ShardComparison {
  /// The maximum number of shards that are named; more are only counted.
  private static let namedShards = 8

  /// The findings.
  package let report: AuditReport

  /// Compares the readable ledgers of `count`. `heads` are the shards whose heads the database keeps, and `told` is what the
  /// shards told each other, both read before the ledgers. Findings about days outside `days` do not count.
  package init(
    _ standings: [ShardStanding], of count: Int, heads: [Int], told: [PublishedClose],
    days: ClosedRange<Day>? = nil
  ) {
    var checks = [
      Self.users(standings, days), Self.rules(standings, days), Self.closes(standings, told, days),
    ]
    if standings.count < count {
      let present = Set(standings.map(\.shardID.number))
      let missing = Self.names((0..<count).filter { !present.contains($0) })
      checks = checks.map {
        AuditReport.Check($0.id, $0.name, leftOut: "\(missing) could not be read")
      }
    }
    report = AuditReport(checks: checks + [Self.heads(heads, count)])
  }

  private static func users(
    _ standings: [ShardStanding], _ days: ClosedRange<Day>?
  ) -> AuditReport.Check {
    var list = FindingList(days: days)
    for standing in standings {
      for user in standing.strangers {
        let right = ShardID.number(of: user, among: standing.shardID.count)
        list.add(
          AuditReport.Finding(
            "is in shard \(standing.shardID.number), but belongs to shard \(right)",
            user: user)
        )
      }
    }
    return AuditReport.Check(
      16, "users by shard", examined: standings.reduce(0) { $0 + $1.users }, list)
  }

  /// Finds closed days that different shards judged by different documents. A document that only some shards have and none has
  /// judged by yet is still on its way to the others.
  private static func rules(
    _ standings: [ShardStanding], _ days: ClosedRange<Day>?
  ) -> AuditReport.Check {
    var list = FindingList(days: days)
    let starts = Set(standings.flatMap { $0.rules.map(\.effectiveFrom) }).sorted()
    let ends = starts.dropFirst().map { $0.adding(days: -1) } + [Day(number: .max)]
    for (start, end) in zip(starts, ends) {
      var shards: [String: (document: RulesDocument, numbers: [Int])] = [:]
      for standing in standings {
        guard let judged = standing.judged, judged.overlaps(start...end),
          let document = standing.rules.last(where: { $0.effectiveFrom <= start })
        else { continue }
        let text = "\(document.defaults ?? "") \(document.canonicalText)"
        shards[text, default: (document, [])].numbers.append(
          standing.shardID.number)
      }
      let groups = shards.values.sorted {
        ($1.numbers.count, $0.numbers[0]) < ($0.numbers.count, $1.numbers[0])
      }
      guard let most = groups.first else { continue }
      for other in groups.dropFirst() {
        list.add(
          AuditReport.Finding(
            "from this day on, \(names(other.numbers)) used \(name(of: other.document)), but "
              + "\(names(most.numbers)) used \(name(of: most.document))", day: start))
      }
    }
    return AuditReport.Check(
      17, "rules across shards",
      examined: standings.reduce(0) { $0 + $1.rules.count }, list)
  }

  /// Finds closes that ended more streaks than the shard announced when it asked the others whether too many would end at once.
  private static func closes(
    _ standings: [ShardStanding], _ told: [PublishedClose], _ days: ClosedRange<Day>?
  ) -> AuditReport.Check {
    var list = FindingList(days: days)
    var examined = 0
    let byShard = Dictionary(standings.map { ($0.shardID.number, $0) }) { one, _ in one }
    for close in told {
      guard let broken = byShard[close.shard]?.mostBroken[close.place] else { continue }
      examined += 1
      if broken > close.broken {
        list.add(
          AuditReport.Finding(
            "in shard \(close.shard) a close in \(close.place.zone) broke \(broken) streaks, "
              + "but it reported \(close.broken) to the other shards", day: close.place.day))
      }
    }
    return AuditReport.Check(
      18, "close counts across shards", examined: examined, list)
  }

  /// Finds shards without a row. No process can write to such a shard, so its users are not polled.
  private static func heads(_ heads: [Int], _ count: Int) -> AuditReport.Check {
    var list = FindingList()
    for shard in Set(0..<count).symmetricDifference(heads).sorted() {
      list.add(
        AuditReport.Finding(
          shard < count
            ? "shard \(shard) has no row in rewards.shard"
            : "rewards.shard has a row for shard \(shard), but there are only \(count) shards, from 0"
        ))
    }
    return AuditReport.Check(19, "shard heads", examined: heads.count, list)
  }

  private static func name(of document: RulesDocument) -> String {
    "\(document.version) (sha256 \("\(document.sha256)".prefix(8)))"
  }

  private static func names(_ shards: [Int]) -> String {
    let named = shards.prefix(namedShards).map { "\($0)" }.joined(separator: ", ")
    let more = shards.count - namedShards
    return (shards.count == 1 ? "shard " : "shards ") + named
      + (more > 0 ? " and \(more) more" : "")
  }
}
