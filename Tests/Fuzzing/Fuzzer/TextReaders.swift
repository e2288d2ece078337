import CivilTime
import Described
import Evidence
import Foundations
import Glibc
import Ledger
import RewardRules
import Scheduling
import StrictJSON

@testable import CheerAPI
@testable import HTTPClient
@testable import NotificationRelay
@testable import Operations

/// What reads text and other bytes from memory.
extension Reader {
  private static let now = Instant(seconds: 1_790_000_000)
  private static let tokyo: Zone = {
    do {
      return try zones.zone(named: "Asia/Tokyo")
    } catch {
      fatalError("\(error)")
    }
  }()

  static let texts: [String: Body] = [
    "answers": { bytes in
      for route in Source.routes {
        if case .answered(let activities, _) = RouteReader.read(
          route, body: bytes, naiveZone: tokyo)
        {
          precondition(
            activities.allSatisfy { $0.to >= $0.from }, "an activity ends before its start")
        }
      }
      let response = HTTPResponse(status: 200, body: bytes)
      if case .counted(let count?, _) = CountReader.read("total_count", in: response, at: now) {
        precondition(count >= 0, "less than nothing")
      }
      _ = try? LoginReader.read(bytes)
    },
    "json": { bytes in
      guard let node = try? JSONNode.parse(bytes) else { return }
      // What can be read can be written, and is then the same.
      var writer = JSONWriter()
      writer.node(node)
      guard let same = try? JSONNode.parse(writer.bytes) else {
        preconditionFailure("what was written cannot be read")
      }
      var again = JSONWriter()
      again.node(same)
      precondition(writer.bytes == again.bytes, "written otherwise than read")
    },
    "instants": { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let instant = try? InstantText.parse(text, naiveZone: tokyo).instant {
        precondition(
          (try? InstantText.parse(instant.description).instant) == instant,
          "an instant is written otherwise than read")
      }
      _ = LocalDateTime(text)
      if let day = Day(text) { precondition(Day(day.description) == day) }
      _ = LedgerHead(text)
    },
    "cron": { bytes in
      guard let schedule = try? Schedule(String(decoding: bytes, as: UTF8.self)) else { return }
      if let fire = schedule.nextFire(after: now, in: tokyo) {
        precondition(fire.instant > now, "a fire in the past")
        if let second = schedule.nextFire(after: fire, in: tokyo) {
          precondition(second.instant > fire.instant, "fires go back")
        }
      }
    },
    "tzif": { bytes in
      guard let zone = try? Zone(name: "Fuzz/Zone", tzif: bytes) else { return }
      prove(zone)
    },
    "posix-footer": { bytes in
      if bytes.contains(UInt8(ascii: "\n")) { return }
      let file = tzif(footer: bytes)
      guard let zone = try? Zone(name: "Fuzz/Zone", tzif: file) else { return }
      prove(zone)
    },
    "rules": { bytes in
      guard case .success(let document) = RulesDocument.parse(bytes) else { return }
      let again = RulesDocument.parse(Array(document.canonicalText.utf8))
      guard case .success(let same) = again, same.canonicalText == document.canonicalText else {
        preconditionFailure("rules are written otherwise than read")
      }
    },
    "jobs": { bytes in
      guard case .success(let job) = JobFile.parse(bytes, zones: zones) else { return }
      _ = job.schedule.nextFire(after: now, in: tokyo)
    },
    "roster": { bytes in
      let roster = RosterFile(bytes)
      precondition(roster.entries.count + roster.problems.count <= bytes.count + 1)
    },
    "inbox": { bytes in
      bytes.withUnsafeBufferPointer { _ = try? InboxParser(naiveZone: tokyo).parse($0) }
    },
    "balances": { bytes in _ = try? OutsideBalance.read(bytes, of: "balances") },
    "http-dates": { bytes in
      _ = HTTPDate.parse(bytes, now: now)
      if let delay = RetryAfter.delaySeconds(String(decoding: bytes, as: UTF8.self), now: now) {
        precondition((0...RetryAfter.capSeconds).contains(delay), "a delay out of range")
      }
    },
    "control": { bytes in
      _ = try? GiftRequest(json: bytes)
      _ = try? ExcuseRequest(json: bytes)
      _ = try? ReconcileRequest(json: bytes)
      _ = CommandResult(json: bytes)
    },
    "records": { bytes in
      guard let record = try? RecordDecoder.decode(bytes) else { return }
      var encoder = RecordEncoder()
      var line: [UInt8] = []
      guard (try? encoder.append(record, to: &line)) != nil else { return }
      var again: [UInt8] = []
      guard let same = try? RecordDecoder.decode(line),
        (try? encoder.append(same, to: &again)) != nil
      else { preconditionFailure("what was written cannot be read") }
      precondition(line == again, "a record is written otherwise than read")
    },
    "relay": { bytes in
      _ = try? RecordedAttempt(json: bytes)
      _ = try? RelayProgress(json: bytes)
      _ = try? SealedRelayLog.record(bytes)
    },
    "templates": { bytes in _ = PushTemplates.parse(bytes) },
    "service-account": { bytes in _ = try? ServiceAccount(bytes) },
    "snapshots": { bytes in
      guard let state = try? StateSnapshot.read(bytes) else { return }
      for account in state.accounts.prefix(100) { _ = StateSnapshot.bytes(of: account) }
      _ = StateSnapshot.commonBytes(of: state, seq: state.seq, at: state.at)
    },
    "plans": { bytes in
      // With the hash that the text should have, so that what is inside is read.
      _ = try? BackfillPlanFile.decode(bytes)
      _ = try? BackfillPlanFile.decode(BackfillPlanFile.sealed(bytes))
    },
  ]

  /// A file without transitions, whose rules are all in its footer.
  private static func tzif(footer: [UInt8]) -> [UInt8] {
    let block = Array("TZif2".utf8) + Array(repeating: 0, count: 15)
    let counts: [UInt8] = [
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4,
    ]
    let types: [UInt8] = [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8)
    return [block, counts, types, block, counts, types, [10], footer, [10]].flatMap(\.self)
  }

  /// Walks over days and offsets of a zone, whatever its rules.
  private static func prove(_ zone: Zone) {
    for seconds: Int64 in [-10_000_000_000, 0, 1_700_000_000, 1_793_500_000, 4_000_000_000] {
      let instant = Instant(seconds: seconds)
      let window = zone.window(containing: instant)
      precondition(window.start <= instant && instant < window.end, "an instant beside its day")
      precondition(zone.nextWindow(after: window).start == window.end, "a hole between days")
      _ = zone.window(of: window.day)
    }
  }
}
