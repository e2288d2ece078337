import CivilTime
import Digests
import Evidence
import RewardRules
import Sandbox
import StrictJSON

/// A simulated history as a judge of another making reads it: one line of JSON.
struct Export {
  let simulation: Simulation

  /// The line.
  func line(flaw: Flaw?) -> [UInt8] {
    let world = simulation.world
    var json = JSONWriter()
    json.beginObject()
    json.member("seed", world.options.seed)
    json.member("digest", simulation.digest)
    json.member("mishaps", simulation.schedule.mishaps.count)
    json.member("flaw", flaw.map { $0.description })
    json.member("builtIn", RulesDocument.builtIn.canonicalText)
    json.member("begin", world.begin.description)
    json.member("end", simulation.time.truth.description)
    json.member(
      "fast",
      simulation.fast.map {
        "\($0.times.lowerBound.seconds)-\($0.times.upperBound.seconds)-\($0.bySeconds)"
      })
    for (name, spans) in [
      ("blind", simulation.blind), ("lies", simulation.lies), ("losses", simulation.losses),
    ] {
      json.member(name, spans.map(Self.text))
    }
    json.object("gone") { json in
      for (zone, spans) in simulation.gone.sorted(by: { $0.key < $1.key }) {
        json.member(zone, spans.map(Self.text))
      }
    }
    json.object("zones") { json in
      for (name, bytes) in simulation.zones.files { json.member(name, Base64.text(bytes)) }
    }
    json.object("lives") { json in
      for user in world.life.users {
        json.object(user.id) { json in
          for kind in ActivityKind.allCases {
            json.member(kind.name, spans(of: user, kind))
          }
        }
      }
    }
    json.member("story", simulation.schedule.mishaps.map { "\($0.at) \($0.kind)" })
    json.member("ledger", LedgerLines(simulation.disk).text)
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private static func text(_ span: ClosedRange<Instant>) -> String {
    "\(span.lowerBound.seconds)-\(span.upperBound.seconds)"
  }

  /// Beginning and end of each activity, as text: `from-to`, in seconds.
  private func spans(of user: SimulatedUser, _ kind: ActivityKind) -> [String] {
    simulation.world.life.activities(of: user, kind).map { "\($0.from.seconds)-\($0.to.seconds)" }
  }
}
