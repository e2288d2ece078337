import AuditPage
import CivilTime
import Configuration
import Engine
import Foundations
import LedgerStore
import Operations
import Sandbox
import Scheduling
import StrictJSON

/// Judges a history that is over by the program's own checks and by what lay outside of the ledger.
struct Verdict {
  let simulation: Simulation

  /// Throws the first ``Flaw`` that it finds.
  func check() throws {
    if let complaint = simulation.complaints.withLock({ $0.first }) {
      throw Flaw("operator", complaint)
    }
    let heads = simulation.acknowledged
    let report = try simulation.ask { configuration, _ in
      try await LedgerReading.verify(configuration, heads: heads)
    }
    guard report.damage.isEmpty else { throw Flaw("verify", "\(report.damage[0])") }
    let audit = try simulation.ask { try await Audit($0, $1).run() }
    guard audit.passed else { throw Flaw("audit", Operator.text(of: audit)) }
    guard audit.waiting.count == 0 else { throw Flaw("waiting", "\(audit.waiting)") }
    try checkSecondPlan()
    try EventCheck(simulation).check()
  }

  /// Nothing is left to repair.
  private func checkSecondPlan() throws {
    let first = simulation.world.firstDay
    let days = first.adding(days: -1)...first.adding(days: Int32(simulation.world.options.days) + 3)
    let plan = try simulation.ask { configuration, environment in
      try await BackfillPlanner(configuration, environment).plan(
        BackfillOrder(days: days, isForAll: true),
        in: LedgerReading.open(configuration.directory))
    }
    let left = plan.users.filter { !$0.records.isEmpty }
    guard let user = left.first else { return }
    throw Flaw("second plan", "\(user.user): \(user.records.first.map { "\($0)" } ?? "")")
  }
}

/// Compares what the sinks got with the ledger: nothing is missing, nothing is made up, nothing is out of order.
struct EventCheck {
  private let lines: [JSONNode]
  private let ledger: String
  private let journal: [UInt8]
  private let received: [[UInt8]]

  init(_ simulation: Simulation) {
    lines = LedgerLines(simulation.disk).nodes
    ledger = lines.first?["ledger"]?.string ?? ""
    journal = simulation.disk.contents(of: World.events).first?.bytes ?? []
    received = simulation.network.receiver.events.map(\.body)
  }

  func check() throws {
    var events: [JSONNode] = []
    for line in journal.split(separator: UInt8(ascii: "\n")) {
      guard let event = try? JSONNode.parse(Array(line)) else {
        throw Flaw("events", "a torn line in the journal: \(String(decoding: line, as: UTF8.self))")
      }
      events.append(event)
    }
    let hooks = received.compactMap { try? JSONNode.parse($0) }
    try check(events, at: "the journal")
    try check(hooks, at: "the webhook")
  }

  private func check(_ events: [JSONNode], at sink: String) throws {
    var place: [String: Int] = [:]
    var subjects: [String: String] = [:]
    for event in events {
      guard let id = event["id"]?.string else { throw Flaw("events", "an event without an id") }
      if place[id] == nil { place[id] = place.count }
      subjects[id] = event["subject"]?.string ?? ""
    }
    var last: [String: (place: Int, id: String)] = [:]
    var reversals: [String: Int] = [:]
    for line in lines {
      for (id, isDue) in event(of: line, &reversals) {
        guard let found = place.removeValue(forKey: id) else {
          if isDue { throw Flaw("lost event", "\(id) is missing at \(sink)") }
          continue
        }
        let subject = subjects[id] ?? ""
        if let before = last[subject], before.place > found {
          throw Flaw("order", "\(id) came before \(before.id) to \(sink)")
        }
        last[subject] = (found, id)
      }
    }
    if let stranger = place.keys.min() { throw Flaw("made up", "\(stranger) at \(sink)") }
  }

  /// The ids of a line's events in order, and whether they must be there.
  private func event(
    of line: JSONNode, _ reversals: inout [String: Int]
  ) -> [(id: String, isDue: Bool)] {
    guard let seq = line["seq"]?.int else { return [] }
    let plain = "\(ledger)/\(seq)"
    switch line["type"]?.string {
    case "grant":
      let key = (line["key"]?.string ?? "", line.givesSomething)
      // A login lengthens the streak too.
      return line["streak"] == nil ? [key] : [key, (plain, false)]
    case "reversal":
      guard let key = line["key"]?.string else { return [] }
      let event = "\(key)!\(line["undone"]?.isTrue == true ? "restored" : "reversed")"
      let number = reversals[event, default: 0] + 1
      reversals[event] = number
      return [(number == 1 ? event : "\(event).\(number)", true)]
    case "close": return [(plain, true)]
    // Nobody is told that a level is corrected.
    case "level": return [(plain, line["exp"] == nil)]
    // Nobody is told that a day is excused.
    case "streak": return [(plain, line["what"]?.string != "excused")]
    default: return [(plain, false)]
    }
  }
}

extension JSONNode {
  /// Whether a grant changes what the user has; some adjust the length of a streak alone.
  fileprivate var givesSomething: Bool {
    let amounts = ["points", "exp", "coins"].compactMap { self[$0]?.int }
    let items = ["items", "removedItems"].compactMap { self[$0]?.elements?.count }
    return (amounts + items.map(Int64.init)).contains { $0 != 0 } || self["booster"]?.members != nil
  }

  fileprivate var isTrue: Bool {
    if case .bool(true) = content { return true }
    return false
  }
}
