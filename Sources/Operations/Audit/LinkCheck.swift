import Ledger

/// Checks that adjustments and reversals refer to what was granted, in order.
struct LinkCheck: AuditCheck {
  static let id = 9
  static let name = "adjustments and reversals linked and consistent"

  var list: FindingList
  private(set) var examined = 0
  // Hashes: a billion keys would be needed for a likely mistake.
  private var keys: Set<Int> = []
  private var adjustments: [String: Int] = [:]
  private var reversed: Set<String> = []

  init(list: FindingList) { self.list = list }

  mutating func take(_ record: Record, before book: Book) {
    switch record.body {
    case .grant(let grant):
      guard let hash = grant.key.lastIndex(of: "#") else {
        keys.insert(grant.key.hashValue)
        return
      }
      examined += 1
      let base = String(grant.key[..<hash])
      let number = Int(grant.key[grant.key.index(after: hash)...]) ?? 0
      let expected = adjustments[base, default: 0] + 1
      adjustments[base] = max(number, expected)
      if !keys.contains(base.hashValue) {
        add("an adjustment of a key that was never granted", record, grant.key, grant)
      } else if number != expected {
        add(
          "adjustment \(number) of its key follows adjustment \(expected - 1)", record, grant.key,
          grant)
      }
    case .reversal(let reversal):
      examined += 1
      let isKnown = keys.contains(reversal.key.hashValue)
      let isInOrder = reversed.contains(reversal.key) == reversal.undone
      if reversal.undone { reversed.remove(reversal.key) } else { reversed.insert(reversal.key) }
      if isKnown && isInOrder { return }
      list.add(
        AuditReport.Finding(
          isKnown
            ? "a reversal that is undone or made twice" : "a reversal of what was never granted",
          seq: record.seq, key: reversal.key, user: reversal.user))
    default: break
    }
  }

  private mutating func add(_ text: String, _ record: Record, _ key: String, _ grant: GrantRecord) {
    list.add(
      AuditReport.Finding(text, seq: record.seq, key: key, user: grant.user, day: grant.day))
  }
}
