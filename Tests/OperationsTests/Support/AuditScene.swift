import AuditPage
import CivilTime
import Evidence
import Foundations
import Ledger
import RewardRules
import Scheduling
import StrictJSON

@testable import LedgerStore
@testable import Operations

/// A healthy ledger, and faults to plant in it.
enum AuditScene {
  /// Twenty users who comment each day for six days; one of them not on the fourth.
  static func healthy() async throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.relay = "{}"
    let place = try TestPlace(settings)
    let users = (0..<20).map { "u\($0)" }
    for number in 9...15 {
      let text = "2026-11-\(number + 1)T00:30:00Z"
      let runtime = try await place.open(FixedClock(at: try InstantText.parse(text).instant))
      try await runtime.recordRules()
      if number == 9 {
        let roster = users.map { "{\"user\":\"\($0)\",\"timezone\":\"UTC\"}\n" }.joined()
        try await runtime.hire(roster)
      } else {
        let lines = users.dropFirst(number == 13 ? 1 : 0).map {
          "{\"user\":\"\($0)\",\"kind\":\"comment\",\"at\":\"2026-11-\(number)T12:00:00Z\"}\n"
        }
        _ = try await Ingestion(runtime).run(Array(lines.joined().utf8), name: "\(number).jsonl")
      }
      _ = try await Reconciliation(runtime, ReconcileOrder()).run()
      await runtime.close()
    }
    return place
  }

  /// The records of such a ledger.
  static func healthyRecords() async throws -> [Record] {
    let place = try await healthy()
    return try withExtendedLifetime(place) { try LedgerFacts(place.directory).records }
  }

  /// Writes the ledger anew, sealed as it should be, with `change` applied to its records.
  static func rewrite(
    _ place: TestPlace, segmentBytes: Int? = nil, _ change: ([RecordBody]) -> [RecordBody]
  ) throws {
    let records = try LedgerFacts(place.directory).records
    try place.remove("data/ledger")
    let bodies = change(bodies(records))
    let times = records.filter { $0.body.type != .seal }.map(\.at)
    try append(bodies[...], to: place, at: times, segmentBytes: segmentBytes)
  }

  /// Writes the ledger's lines anew, sealed as it should be, with `change` applied to each text: also what no writer would write.
  static func rewriteLines(_ place: TestPlace, _ change: (String) -> String) throws {
    let name = "data/ledger/00000000000000000001.jsonl"
    var (text, batch): ([UInt8], [UInt8]) = ([], [])
    var count = 0
    var sealer = SealBuilder()
    var head = LedgerHead.origin
    for line in place.read(name).split(separator: "\n").map(String.init) {
      let frame = try JSONNode.parse(Array(line.utf8))
      guard frame["type"]?.string == "seal" else {
        batch += Array("\(change(line))\n".utf8)
        count += 1
        continue
      }
      let at = try InstantText.parse(frame["at"]?.string ?? "").instant
      head = sealer.seal(
        &batch, count: count, seq: UInt64(frame["seq"]?.int ?? 0), at: at, prev: head)
      text += batch
      (batch, count) = ([], 0)
    }
    try place.remove("data/state")
    try place.write(name, String(decoding: text, as: UTF8.self))
  }

  /// Writes a snapshot that stands for the seal `seq`, after `change`; it says that it was recorded at `recordedAt`.
  static func writeSnapshot(
    _ place: TestPlace, at seq: UInt64, recordedAt: Instant? = nil,
    _ change: (inout LedgerState) -> Void = { _ in }
  ) throws {
    let reader = try LedgerReader.open(place.directory)
    var state = LedgerState()
    for record in try LedgerFacts(place.directory).records where record.seq < seq {
      state.apply(record)
    }
    change(&state)
    let payload = StateSnapshot.write(state)
    let header = SnapshotHeader(
      ledger: reader.ledger, head: try reader.seals(of: [seq])[0], at: recordedAt, segment: "none",
      endByte: 1, lines: 1, payload: payload)
    try SnapshotFolder(folder: place.directory.state, fileSystem: PosixFileSystem()).write(
      header, payload: payload)
  }

  /// What a writer is given to append.
  static func bodies(_ records: [Record]) -> [RecordBody] {
    records.map(\.body).filter { $0.type != .seal && $0.type != .genesis }
  }

  /// Appends records, each at its own time of `times`, where a new ledger takes the first one for its genesis. A grant names the
  /// user's last evidence, a record of a hand the last act, and a close the last seal, whose lines may have other numbers than they had.
  static func append(
    _ bodies: ArraySlice<RecordBody>, to place: TestPlace, at times: [Instant],
    segmentBytes: Int? = nil
  ) throws {
    let rest = Lock(times[...])
    let last = times.last ?? .latest
    var configuration = LedgerConfiguration(
      directory: place.directory, program: "rewards \(ProgramVersion.text)", command: "test")
    if let segmentBytes { configuration.segmentLimitBytes = segmentBytes }
    let store = try LedgerStore.open(
      configuration,
      LedgerStore.Dependencies(
        clock: { rest.withLock { $0.popFirst() } ?? last },
        randomBytes: { Array(repeating: 7, count: $0) }))
    defer { store.close() }
    var evidence: [String: UInt64] = [:]
    var act: UInt64?
    func note(_ record: Record) {
      if case .evidence(let seen) = record.body { evidence[seen.user] = record.seq }
      if case .operator(let its) = record.body, its.act.accountsForRecords { act = record.seq }
    }
    try LedgerFacts(place.directory).records.forEach(note)
    for var body in bodies {
      if case .grant(var grant) = body, let line = evidence[grant.user] {
        grant.evidence = grant.evidence.map { $0 == genesis ? $0 : line }
        body = .grant(grant)
      }
      if case .close(var close) = body {
        close.head = store.head
        body = .close(close)
      }
      if body.by != nil { body.by = act }
      try store.append([body]).forEach(note)
    }
  }

  /// The number of a line that is no evidence.
  private static let genesis: UInt64 = 1

  enum Plant: String, CaseIterable {
    case points, missing, streak, item, close, link, reversal, duplicate, outlier, gift
    case day, mission, byHand, signed, stranger, multiplier, rules, evidence, noEvidence
    case taken, coins, unnamed, uncounted, actGone

    /// The check that finds it.
    var check: Int {
      switch self {
      case .points, .day, .mission, .byHand, .signed, .stranger, .multiplier, .rules, .evidence,
        .noEvidence, .taken:
        4
      case .missing: 5
      case .streak: 6
      case .item: 7
      case .close, .coins: 8
      case .link, .reversal, .unnamed, .uncounted, .actGone: 9
      case .duplicate: 3
      case .outlier: 14
      case .gift: 15
      }
    }
  }

  /// The records that stand in place of `body`; nil when the fault does not fit there.
  static func planted(_ plant: Plant, in body: RecordBody) -> [RecordBody]? {
    switch (plant, body) {
    case (.points, .grant(var grant)) where grant.mission == "comment":
      grant.reward.points += 1
      return [.grant(grant)]
    case (.outlier, .grant(var grant)) where grant.mission == "comment":
      grant.reward.points = 5_000
      return [.grant(grant)]
    case (.missing, .grant(let grant)) where grant.mission == "comment": return []
    case (.streak, .grant(var grant)) where grant.streak?.length == 3:
      grant.streak = StreakMark(length: 9, cycleDay: 3)
      return [.grant(grant)]
    case (.item, .grant(var grant)) where !grant.reward.items.isEmpty:
      grant.reward.items =
        grant.reward.items == ["fontColor/red"] ? ["fontColor/blue"] : ["fontColor/red"]
      return [.grant(grant)]
    case (.close, .close(var close)) where close.points > 0:
      close.points += 5
      return [.close(close)]
    case (.coins, .close(var close)):
      close.coins = close.coins.map { $0 + 1 }
      return [.close(close)]
    case (.link, .grant(var grant)) where grant.mission == "comment":
      let first = RecordBody.grant(grant)
      grant.key += "#2"
      grant.reward = Reward()
      return [first, .grant(grant)]
    case (.reversal, .grant(let grant)) where grant.mission == "comment":
      // It takes back more than there is.
      var reversal = ReversalRecord(key: grant.key, user: grant.user, reason: "r", actor: "op")
      reversal.reward.points = -grant.reward.points - 1
      reversal.reward.exp = -grant.reward.exp
      return [.grant(grant), .reversal(reversal)]
    case (.gift, .grant(let grant)) where grant.mission == "comment":
      // Nobody has signed for it.
      var gift = grant
      (gift.key, gift.mission, gift.cause) = ("\(grant.user)/manual/cup", "manual", "manual")
      gift.evidence = []
      return [.grant(grant), .grant(gift)]
    case (.day, .grant(var grant)) where grant.mission == "comment":
      grant.day = grant.day.adding(days: -1)
      return [.grant(grant)]
    case (.mission, .grant(var grant)) where grant.mission == "comment":
      grant.mission = "gift"
      return [.grant(grant)]
    case (.byHand, .grant(var grant)) where grant.mission == "comment":
      grant.cause = "manual"
      return [.grant(grant)]
    case (.signed, .grant(let grant)) where grant.mission == "comment":
      // By hand, and it does not say so.
      var gift = grant
      (gift.key, gift.mission) = ("\(grant.user)/manual/cup", "manual")
      return [.grant(grant), .grant(gift)]
    case (.stranger, .grant(let grant)) where grant.mission == "comment":
      var other = grant
      other.key = "\(grant.user)/\(grant.day)/dance"
      return [.grant(grant), .grant(other)]
    case (.taken, .grant(let grant)) where grant.mission == "comment":
      // From somebody whom nobody knows, so that no one's balance shows it.
      var reversal = ReversalRecord(key: grant.key, user: "nobody", reason: "r", actor: "op")
      reversal.reward.amounts = -grant.reward.amounts
      return [.grant(grant), .reversal(reversal)]
    case (.noEvidence, .grant(var grant)) where grant.mission == "comment":
      grant.evidence = []
      return [.grant(grant)]
    case (.multiplier, .grant(var grant)) where grant.reward.exp > 0:
      grant.reward.multiplier = 2
      return [.grant(grant)]
    case (.rules, .grant(var grant)) where grant.mission == "comment":
      grant.rules = "others"
      return [.grant(grant)]
    case (.evidence, .grant(var grant)) where grant.mission == "comment":
      grant.evidence = [genesis]
      return [.grant(grant)]
    case (.unnamed, .evidence(var seen)) where seen.by != nil:
      seen.by = nil
      return [.evidence(seen)]
    case (.uncounted, .evidence(let seen)) where seen.by != nil:
      // One more than the act says.
      var more = seen
      let (kind, at) = (seen.activity.kind, seen.activity.from.adding(seconds: 1))
      more.activity = Activity(kind: kind, from: at, to: at)
      return [body, .evidence(more)]
    case (.actGone, .operator(let act)) where act.act == .deliver: return []
    case (.duplicate, .grant): return [body, body]
    default: return nil
    }
  }
}

extension AuditReport {
  /// Whether two audits looked at the same things and found the same, in whatever order.
  func isSame(as other: AuditReport) -> Bool {
    waiting == other.waiting && byHand == other.byHand && checks.count == other.checks.count
      && zip(checks, other.checks).allSatisfy {
        $0.id == $1.id && $0.examined == $1.examined && $0.found == $1.found
          && $0.note == $1.note && $0.leftOut == $1.leftOut
          && $0.findings.map(\.text).sorted() == $1.findings.map(\.text).sorted()
      }
  }
}
