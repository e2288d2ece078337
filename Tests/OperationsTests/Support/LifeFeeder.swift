import CivilTime
import Evidence
import LedgerStore
import Sandbox
import Scheduling

/// Puts what no route tells into the inbox as it happens, each file with its `completeThrough` line.
struct LifeFeeder: Sendable {
  let life: LifeModel
  /// What happened before is left out.
  let begin: Instant
  let firstFile: Instant
  let end: Instant
  var everySeconds: Int64 = 1_800
  /// What is told.
  var kinds = KindSet.inbox
  let inbox: InboxFolder

  /// Feeds until the end; the caller owns a unit of tracked work.
  func run(_ clock: any ServiceClock) async {
    var lines: [(at: Instant, text: String)] = []
    for user in life.users {
      for kind in kinds.kinds {
        for activity in life.activities(of: user, kind) where activity.from >= begin {
          let text =
            "{\"user\":\"\(user.id)\",\"kind\":\"\(kind.name)\",\"at\":\"\(activity.from)\"}\n"
          lines.append((activity.from, text))
        }
      }
    }
    lines.sort { ($0.at, $0.text) < ($1.at, $1.text) }
    var next = 0
    var time = firstFile
    while time < end {
      guard (try? await clock.sleep(until: time)) != nil else { return }
      let count = lines[next...].prefix { $0.at < time }.count
      let text = lines[next..<next + count].map(\.text).joined()
      next += count
      let file = Array((text + "{\"completeThrough\":\"\(time)\"}\n").utf8)
      guard (try? await inbox.handOver(file, as: "\(time.seconds).jsonl")) != nil else { return }
      time = time.adding(seconds: everySeconds)
    }
  }
}
