import CivilTime
import Described
import Engine
import Evidence
import Ledger
import Operations
import RewardRules

/// One mission of an explanation, as a member of its JSON.
struct ExplainedMission {
  let name: String
  let explanation: Explanation

  /// The kind of activity that the mission asks for; nil for login, to which all kinds may count.
  private var kind: ActivityKind? {
    name == OtherMission.login.rawValue ? nil : ActivityKind(name: name)
  }
  private var grants: [Explanation.GrantLine] { explanation.grants(of: name) }
}

extension ExplainedMission: JSONObject {
  static let members = JSONMembers<Self> {
    $0.optional(
      "title", { $0.explanation.day.rules.missions.title(of: $0.name) },
      "of the mission, by language")
    $0.word("verdict", among: ["met", "notMet", "unknown"]) {
      ExplainText.verdict(of: $0.name, $0.explanation.day)
    }
    $0.list("evidence", { $0.explanation.evidence(of: $0.kind) }) {
      $0.add("seq", \.seq)
      $0.add("kind", \.evidence.activity.kind.name)
      $0.add("from", \.evidence.activity.from)
      $0.add("to", \.evidence.activity.to)
      $0.add("source", \.evidence.source.name)
      $0.optional("sender", \.evidence.sender, "the configured source of an inbox line")
      $0.add("observedAt", \.evidence.observedAt)
    }
    $0.list("gaps", { $0.explanation.gaps(of: $0.kind) }) {
      $0.add("kind", \.kind.name)
      $0.add("from", \.from)
      $0.add("to", \.to)
      $0.add("cause", \.cause)
    }
    $0.nullableObject("grant", { $0.grants.isEmpty ? nil : $0.grants }) {
      (grants: inout JSONMembers<[Explanation.GrantLine]>) in
      grants.include({ $0[0] }, as: JSONMembers(list))
      grants.list("adjustments", { Array($0.dropFirst()) }, of: list)
    }
    $0.list("wouldBeGranted", { $0.explanation.wouldBeGranted($0.name) }) {
      $0.add("key", \.key)
      $0.include(\.reward.amounts)
      $0.add("items", \.reward.items)
    }
    $0.list("reversals", { $0.explanation.reversals(of: $0.name) }) {
      $0.add("key", \.reversal.key)
      $0.add("undone", \.reversal.undone)
      $0.include(\.reversal.reward.amounts)
      $0.add("reason", \.reversal.reason)
      $0.add("actor", \.reversal.actor)
      $0.add("seq", \.seq)
    }
    $0.list(
      "gifts",
      { mission in
        mission.grants.compactMap { mission.explanation.gift($0.grant.key) }.map {
          (act: $0, requester: mission.explanation.requests.requester(ofGift: $0.subject))
        }
      }, "what people gave by hand"
    ) {
      $0.add("key", \.act.subject)
      $0.add("reason", \.act.reason)
      $0.add("actor", \.act.actor)
      $0.optional("requester", \.requester, "who requested what the actor approved")
    }
    $0.add("trace") { mission in
      mission.explanation.trace.filter { $0.mission == nil || $0.mission == mission.name }
        .map(\.description)
    }
  }

  private static func list(_ line: inout JSONMembers<Explanation.GrantLine>) {
    line.add("key", \.grant.key)
    line.add("points", \.grant.reward.points)
    line.add("expBase", \.grant.reward.baseExp)
    line.add("multiplier", \.grant.reward.multiplier)
    line.add("exp", \.grant.reward.exp)
    line.add("coins", \.grant.reward.coins)
    line.add("items", \.grant.reward.items)
    line.add("effective", \.grant.effective)
    line.add("rules", \.grant.rules)
    line.add("cause", \.grant.cause)
    line.add("seq", \.seq)
    line.add("at", \.at)
    line.add("seal", \.seal)
  }
}
