import CivilTime
import Foundations
import Ledger
import LedgerStore
import RewardRules
import StrictJSON
import TestSupport
import Testing

@testable import NotificationRelay

/// What the ledger's records become on their way to a sink.
@Suite(.offThePool) struct EventReaderTests {
  /// A broadcast is an event of nobody, with the same id however often it is sent; its request and approval are none.
  @Test func aBroadcastIsAnEvent() async throws {
    let place = try await RelayPlace()
    let broadcast = Broadcast(title: "Cup", body: "Gifts", locKey: "CUP")
    _ = try place.store.append(
      [.request, .approve, .broadcast].map { act in
        .operator(
          OperatorRecord(act: act, subject: "b", what: broadcast.text, reason: "r", actor: "bob"))
      })
    let seq = place.store.reader.head.seq - 1
    try await place.deliver(to: place.file)
    #expect(place.delivered("id") == ["\(place.store.report.ledger)/\(seq)"])
    #expect(place.delivered("subject") == [nil])
    let event = try JSONNode.parse(Array(place.read("events.jsonl").utf8.dropLast()))
    #expect(event["type"]?.string == "com.cheer-supports.broadcast.v1")
    #expect(event["data"]?["locKey"]?.string == "CUP" && event["data"]?["body"]?.string == "Gifts")
  }

  /// What the rules of a grant call its mission stands in its event; what has no title, or older rules, says nothing.
  @Test func eventsNameMissions() async throws {
    let place = try await RelayPlace()
    let rules = RulesDocument.builtIn
    func record(_ defaults: String?, _ version: String, _ document: String) -> RecordBody {
      .rules(
        RulesRecord(
          version: version, effectiveFrom: rules.effectiveFrom, sha256: rules.sha256,
          drawKey: "0123456789abcdef", defaults: defaults, document: document))
    }
    let short = #"{"version":"old","effectiveFrom":"2000-01-01"}"#
    var bodies = [
      record(nil, rules.version, rules.canonicalText), record(nil, "old", short),
      record("builtin-2", "new", short.replacing("old", with: "new")),
    ]
    let grants = [
      (rules.version, "gift"), (rules.version, "login"), ("old", "gift"), ("new", "gift"),
    ]
    bodies += grants.enumerated().map { index, grant in
      .grant(
        GrantRecord(
          key: "u\(index)/2026-11-20/\(grant.1)", user: "u\(index)", day: rules.effectiveFrom,
          mission: grant.1, effective: Instant(seconds: 0), rules: grant.0, reward: Reward(),
          evidence: [], cause: "live"))
    }
    _ = try place.store.append(bodies)
    try await place.deliver(to: place.file)
    let titles = try place.read("events.jsonl").split(separator: "\n").map {
      try JSONNode.parse(Array($0.utf8))["data"]?["title"]?["ja"]?.string
    }
    #expect(titles == ["ギフトを贈る", nil, nil, "ギフトを贈る"])
  }
}
