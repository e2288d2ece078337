import CivilTime
import Evidence
import Sandbox
import Scheduling
import StrictJSON

/// A program beside the service that knows what no route reports, and puts files of lines into its inbox in time.
struct DemoFeeder: Sendable {
  private static let everySeconds: Int64 = 600

  let world: DemoWorld
  let clock: any ServiceClock
  /// What the program knows, in order.
  let lines: [DemoLine]
  /// Puts lines into the program's inbox as a file with the given name.
  let handOver: @Sendable (_ lines: [UInt8], _ name: String) async throws -> Void

  /// Hands over what happened, every ten minutes of the clock, until the end. Each file says up to when it is complete.
  func run() async throws {
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
}

/// A line of the inbox with its instant.
struct DemoLine: Sendable {
  let at: Instant
  let json: String

  private init(
    _ user: String, _ kind: String, at: Instant, _ more: (inout JSONWriter) -> Void = { _ in }
  ) {
    var json = JSONWriter()
    json.beginObject()
    json.member("user", user)
    json.member("kind", kind)
    json.member("at", at.description)
    more(&json)
    json.endObject()
    (self.at, self.json) = (at, json.text + "\n")
  }

  /// Returns what the app's backend knows: all activities of the inbox's kinds but purchases.
  static func backend(of world: DemoWorld) -> [DemoLine] {
    lines(of: world, ActivityKind.allCases.filter { $0.source == .inbox && $0 != .purchase })
  }

  /// Returns what the shop knows: the purchases, and what each of them gave and cost.
  static func shop(of world: DemoWorld) -> [DemoLine] {
    var lines = lines(of: world, [.purchase])
    for user in world.life.users {
      for (number, purchase) in world.life.activities(of: user, .purchase).enumerated()
      where purchase.from >= world.begin {
        lines.append(
          DemoLine(user.id, "credit", at: purchase.from) { json in
            switch number % 3 {
            case 0:
              json.member("points", -30)
              json.member("exp", 100)
            case 1:
              json.member("points", -40)
              json.member("boosterDays", 1)
            default: json.member("coins", 120)
            }
            json.member("id", "order-\(number + 1)")
          })
      }
    }
    return lines.sorted { ($0.at, $0.json) < ($1.at, $1.json) }
  }

  private static func lines(of world: DemoWorld, _ kinds: [ActivityKind]) -> [DemoLine] {
    var lines: [DemoLine] = []
    for user in world.life.users {
      for kind in kinds {
        for activity in world.life.activities(of: user, kind) where activity.from >= world.begin {
          lines.append(DemoLine(user.id, kind.name, at: activity.from))
        }
      }
    }
    return lines.sorted { ($0.at, $0.json) < ($1.at, $1.json) }
  }
}
