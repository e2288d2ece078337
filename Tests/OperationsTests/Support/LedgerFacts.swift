import CivilTime
import Evidence
import Ledger
import LedgerStore
import RewardRules

/// What a ledger on disk says, gathered by a fold that shares nothing with the book.
struct LedgerFacts {
  private(set) var records: [Record] = []
  /// How often each key stands in the ledger.
  private(set) var keys: [String: Int] = [:]
  /// Net points by user.
  private(set) var points: [String: Int64] = [:]
  /// Keys of missions that could not be judged.
  private(set) var unknown: Set<String> = []
  /// The closed windows by zone, in order.
  private(set) var closes: [String: [DayWindow]] = [:]
  private(set) var runs: [RunRecord] = []

  init(_ directory: DataDirectory) throws {
    var all: [Record] = []
    try LedgerReader.open(directory).scan { all.append($0) }
    records = all
    for record in all { add(record) }
  }

  /// Keys that stand in the ledger more than once.
  var doubled: [String] { keys.filter { $0.value > 1 }.map(\.key).sorted() }

  private mutating func add(_ record: Record) {
    switch record.body {
    case .grant(let grant):
      keys[grant.key, default: 0] += 1
      points[grant.user, default: 0] += grant.reward.points
    case .unknown(let unknown):
      self.unknown.insert("\(unknown.user)/\(unknown.day)/\(unknown.mission.name)")
    case .close(let close): closes[close.zone, default: []].append(close.window)
    case .run(let run): runs.append(run)
    default: break
    }
  }
}
