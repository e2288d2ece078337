import CivilTime
import Evidence
import LedgerStore
import Sandbox

/// Puts what no route tells into the inbox once the clock on the wall has passed it, each file with its
/// `completeThrough` line.
struct WallFeeder: Sendable {
  let life: LifeModel
  let begin: Instant
  /// A clock that shows later than this is not believed.
  let end: Instant
  let inbox: InboxFolder

  /// Feeds every half hour until it is cancelled; the caller owns a unit of tracked work.
  func run(_ clock: VirtualClock) async {
    let lines = lines()
    var fed = begin
    var next = 0
    while (try? await clock.sleep(seconds: 1_800)) != nil {
      let now = clock.now()
      guard now > fed, now <= end else { continue }
      let count = lines[next...].prefix { $0.at < now }.count
      let text = lines[next..<next + count].map(\.text).joined()
      next += count
      fed = now
      let file = Array((text + "{\"completeThrough\":\"\(now)\"}\n").utf8)
      guard (try? await inbox.handOver(file, as: "\(now.seconds).jsonl")) != nil else { return }
    }
  }

  private func lines() -> [(at: Instant, text: String)] {
    var lines: [(at: Instant, text: String)] = []
    for user in life.users {
      for kind in ActivityKind.allCases where kind.source == .inbox {
        for activity in life.activities(of: user, kind) where activity.from >= begin {
          let text =
            "{\"user\":\"\(user.id)\",\"kind\":\"\(kind.name)\",\"at\":\"\(activity.from)\"}\n"
          lines.append((activity.from, text))
        }
      }
    }
    return lines.sorted { ($0.at, $0.text) < ($1.at, $1.text) }
  }
}
