import CivilTime
import Evidence
import Sandbox
import Scheduling
import StrictJSON

/// The program beside the service that knows what no route reports, and puts files of activities into the inbox in time.
struct DemoFeeder: Sendable {
  private static let everySeconds: Int64 = 600

  let world: DemoWorld
  let clock: any ServiceClock
  /// Puts lines into the inbox as a file with the given name.
  let handOver: @Sendable (_ lines: [UInt8], _ name: String) async throws -> Void

  /// Hands over what happened, every ten minutes of the clock, until the end. Each file says up to when it is complete.
  func run() async throws {
    let lines = Self.lines(of: world)
    var next = 0
    var time = world.begin.adding(seconds: Self.everySeconds)
    while time < world.end {
      try await clock.sleep(until: time)
      var text = ""
      while next < lines.count, lines[next].at < time {
        text += lines[next].json
        next += 1
      }
      text += "{\"completeThrough\":\"\(time)\"}\n"
      try await handOver(Array(text.utf8), "\(time.seconds).jsonl")
      time = time.adding(seconds: Self.everySeconds)
    }
  }

  /// Returns all activities of the inbox's kinds that anybody does, in order.
  private static func lines(of world: DemoWorld) -> [(at: Instant, json: String)] {
    let kinds = ActivityKind.allCases.filter { $0.source == .inbox }
    var lines: [(at: Instant, json: String)] = []
    for user in world.life.users {
      for kind in kinds {
        for activity in world.life.activities(of: user, kind) where activity.from >= world.begin {
          var json = JSONWriter()
          json.beginObject()
          json.member("user", user.id)
          json.member("kind", kind.name)
          json.member("at", activity.from.description)
          json.endObject()
          lines.append((activity.from, json.text + "\n"))
        }
      }
    }
    return lines.sorted { ($0.at, $0.json) < ($1.at, $1.json) }
  }
}
