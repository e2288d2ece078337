package import CivilTime
package import Ledger
internal import RewardRules

/// What the ledger says that a user has.
package struct StoreExpectation: Sendable {
  /// The user's id.
  package let user: String
  /// What the document should have been given.
  package let current: CurrentEarnings
  /// What the user has in all.
  package let balance: Balance
  /// Whether facts about closed days wait for a backfill: a credit's exp is then in the sum already, and not in the level; a bought
  /// booster is not counted yet.
  package let waits: Bool

  /// Creates an expectation.
  package init(user: String, current: CurrentEarnings, balance: Balance, waits: Bool) {
    self.user = user
    self.current = current
    self.balance = balance
    self.waits = waits
  }
}

/// What a user's document says, compared with the ledger.
package struct StoreReading: Sendable, Equatable {
  /// How a document compares.
  package enum State: String, Sendable, CaseIterable {
    /// It holds what the ledger says.
    case agrees
    /// Something that was earned is not written yet; with it, the document agrees.
    case pending
    /// The same, although the sink believes that it has written everything.
    case missed
    /// It differs by something that nobody has told the ledger.
    case unexplained
    /// There is no document.
    case absent
    /// The sink leaves it alone until somebody mends it.
    case stopped
    /// It could not be read.
    case unread
  }

  /// The user's id.
  package let user: String
  /// How the document compares.
  package internal(set) var state: State
  /// What differs, and why; empty if nothing does.
  package let text: String
  /// By how many points the document exceeds the ledger, once everything is written; negative if it falls short.
  package let points: Int64

  /// The reading after a sink that has settled everything of the user.
  package var settled: StoreReading {
    var reading = self
    if state == .pending { reading.state = .missed }
    return reading
  }

  /// Whether somebody should look at it.
  package var isFinding: Bool {
    switch state {
    case .agrees, .pending, .absent: false
    case .missed, .unexplained, .stopped, .unread: true
    }
  }

  /// Creates a reading.
  package init(_ user: String, _ state: State, _ text: String = "", points: Int64 = 0) {
    self.user = user
    self.state = state
    self.text = text
    self.points = points
  }
}

extension StoreWriter {
  /// Compares documents with what the ledger says, in the order of `expected`. Writes nothing.
  func compare(_ expected: [StoreExpectation], at now: Instant) async -> [StoreReading] {
    var readings: [StoreReading] = []
    if let trouble = await settleMemory() {
      return expected.map { StoreReading($0.user, .unread, trouble) }
    }
    let (documents, outcomes) = await read(expected.map(\.user))
    for item in expected {
      guard let document = documents[item.user] else {
        readings.append(withoutDocument(item.user, outcomes[item.user]))
        continue
      }
      do throws(StoreChange.Obstacle) {
        let record = try await record(of: document, item.user, item.current)
        let change = try StoreChange(
          of: document, from: record, to: item.current, settings.fields, now: now)
        readings.append(compare(document, after: change, with: item, at: now))
      } catch {
        switch error {
        case .unusable(let what):
          readings.append(StoreReading(item.user, .stopped, "document \(document.id): \(what)"))
        case .ahead(let position):
          // The service may have written it since the ledger was read.
          readings.append(
            StoreReading(
              item.user, .pending,
              "document \(document.id): it was written from line \(position), and the ledger was read up to \(item.current.position)"
            ))
        }
      }
    }
    return readings
  }

  private func withoutDocument(_ user: String, _ outcome: DeliveryOutcome?) -> StoreReading {
    switch outcome {
    case .refused(let reason, _): return StoreReading(user, .stopped, reason)
    case .failed(let failure): return StoreReading(user, .unread, failure.reason)
    case .unavailable(let reason), .gone(let reason): return StoreReading(user, .unread, reason)
    case .postponed, .notWanted, .delivered, nil:
      guard let known = memory[user] else {
        return StoreReading(user, .absent, "there is no document")
      }
      return StoreReading(
        user, .stopped, "document \(known.id) is gone, which was written at \(known.at)")
    }
  }

  private func compare(
    _ document: StoreDocument, after change: StoreChange, with expected: StoreExpectation,
    at now: Instant
  ) -> StoreReading {
    let fields = settings.fields
    func shown(_ field: StoreField) -> StoreValue? {
      change.values[field] ?? fields[field].flatMap { document.fields[$0] }
    }
    var differences: [String] = []
    var points: Int64 = 0
    if let name = fields[.points] {
      let has = (shown(.points)?.number ?? 0).addingSaturated(change.increments[.points] ?? 0)
      let should = expected.balance.points
      points = has.addingSaturated(-should)
      if points != 0 {
        differences.append("\(name) is \(has) where the ledger has \(should)")
      }
    }
    if fields[.exp] != nil, fields[.level] != nil {
      // Both were added level by level, so they are equal also where the table of levels has changed since.
      func total(level: Int64, _ exp: Int64) -> Int64 {
        var state = AccountState()
        state.level = Int32(clamping: level)
        state.exp = exp
        return state.totalExp(caps: expected.current.caps)
      }
      let has = total(level: shown(.level)?.number ?? 1, shown(.exp)?.number ?? 0)
      let should = total(level: Int64(expected.balance.level), expected.balance.exp)
      if has != should, !(expected.waits && has == expected.balance.holdings.sum.exp) {
        differences.append("all exp is \(has) where the ledger has \(should)")
      }
    }
    if fields[.items] != nil {
      let has = Set((shown(.items)?.texts ?? []) + change.addedItems)
      let lost = expected.current.earnings.items.filter { !has.contains($0) }
      if !lost.isEmpty { differences.append("it lacks \(lost.joined(separator: ", "))") }
    }
    if let name = fields[.boosterUntil], !expected.waits {
      let (has, should) = (
        shown(.boosterUntil)?.time, expected.balance.boosterUntil?.inMicroseconds
      )
      if has != should, max(has ?? .earliest, should ?? .earliest) > now {
        differences.append(
          "\(name) is \(has?.description ?? "missing") where the ledger has \(should?.description ?? "none")"
        )
      }
    }
    if let name = fields[.cycleDay] {
      let has = shown(.cycleDay)?.number ?? 0
      let should = Int64(max(0, expected.balance.streak.cycleDay - 1))
      if has != should { differences.append("\(name) is \(has) where the ledger has \(should)") }
    }
    let what = differences.joined(separator: "; ")
    if !differences.isEmpty {
      return StoreReading(
        expected.user, .unexplained, "document \(document.id): \(what)", points: points)
    }
    return change.isEmpty
      ? StoreReading(expected.user, .agrees)
      : StoreReading(expected.user, .pending, "document \(document.id): \(change.summary)")
  }
}

extension FirestoreSink {
  /// Compares users' documents with what the ledger says, in the order of `expected`. Writes nothing.
  package func compare(_ expected: [StoreExpectation], at now: Instant) async -> [StoreReading] {
    var readings: [StoreReading] = []
    for start in stride(from: 0, to: expected.count, by: Self.documentsPerBatch) {
      let batch = expected[start..<min(start + Self.documentsPerBatch, expected.count)]
      readings += await writer.compare(Array(batch), at: now)
    }
    return readings
  }
}

extension StoreChange {
  /// What is due, in a few words.
  fileprivate var summary: String {
    let parts =
      increments.sorted { $0.key.rawValue < $1.key.rawValue }.map {
        "\($0.key.rawValue) \($0.value > 0 ? "+" : "")\($0.value)"
      } + values.keys.map(\.rawValue).sorted() + addedItems.map { "+\($0)" }
      + removedItems.map { "-\($0)" }
    return parts.isEmpty ? "only the record is due" : "due: \(parts.joined(separator: ", "))"
  }
}

extension StoreValue {
  fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
  fileprivate var time: Instant? { if case .timestamp(let time) = self { time } else { nil } }
  fileprivate var texts: [String]? {
    guard case .array(let elements) = self else { return nil }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
