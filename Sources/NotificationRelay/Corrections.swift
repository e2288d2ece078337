import Ledger
import RewardRules

/// The state of a key before a record changed it: what the user had, and how often it was taken back.
struct KeyBalance: Sendable, Equatable {
  var amounts = Amounts()
  var items: [String] = []
  /// How often it was taken back or given back.
  var reversals = 0
  var restorations = 0

  /// Returns the state after the record, which must be about the same key.
  func after(_ body: RecordBody) -> KeyBalance {
    var next = self
    switch body {
    case .grant(let grant):
      next.amounts += grant.reward.amounts
      next.items.removeAll { grant.removedItems.contains($0) }
      next.items += grant.reward.items
    case .reversal(let reversal):
      next.amounts += reversal.reward.amounts
      next.items.removeAll { reversal.removedItems.contains($0) }
      next.items += reversal.reward.items
      if reversal.undone { next.restorations += 1 } else { next.reversals += 1 }
    default: break
    }
    return next
  }
}

/// The states before some corrections: adjustments, reversals and their undoing.
struct Corrections: Sendable {
  private var wanted: [UInt64: String] = [:]
  private var users: Set<String> = []
  private var before: [UInt64: KeyBalance] = [:]

  /// Collects what must be known to describe `records`.
  init(of records: [Record]) {
    for record in records {
      guard let key = record.body.correctedKey, let user = record.body.user else { continue }
      wanted[record.seq] = key
      users.insert(user)
    }
  }

  /// The state before the record at `seq`.
  subscript(_ seq: UInt64) -> KeyBalance { before[seq] ?? KeyBalance() }

  /// The users whose records must be read in order, and the line to read through; nil if none need be.
  var reading: (users: Set<String>, through: UInt64)? {
    wanted.keys.max().map { (users, $0) }
  }

  /// Folds the records of ``reading`` in order.
  mutating func fold(_ records: (_ body: (Record) throws -> Void) throws -> Void) rethrows {
    let keys = Set(wanted.values)
    var standing: [String: KeyBalance] = [:]
    var before: [UInt64: KeyBalance] = [:]
    let wanted = wanted
    try records { record in
      guard let key = record.body.changedKey, keys.contains(key) else { return }
      let found = standing[key] ?? KeyBalance()
      if wanted[record.seq] != nil { before[record.seq] = found }
      standing[key] = found.after(record.body)
    }
    self.before = before
  }
}

extension RecordBody {
  /// The key of the grant that the record creates or changes.
  fileprivate var changedKey: String? {
    switch self {
    case .grant(let grant): grant.baseKey
    case .reversal(let reversal): reversal.key
    default: nil
    }
  }

  /// The key of an earlier grant that the record changes.
  fileprivate var correctedKey: String? {
    if case .grant(let grant) = self, !grant.isAdjustment { return nil }
    return changedKey
  }
}
