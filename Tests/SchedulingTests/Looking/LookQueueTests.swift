import CivilTime
import Foundations
import Sandbox
import Scheduling
import TestSupport
import Testing

@Suite(.offThePool) struct LookQueueTests {
  /// The queue against a list that is sorted anew each time.
  @Test(arguments: 0..<60) func takesWhatASortedListWouldGive(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed), 3)
    var queue = LookQueue()
    var list: [(due: Int64, user: Int)] = []
    for step in 0..<300 {
      let isNew = random.chance(0.6) && !list.contains { $0.user == step }
      if isNew {
        let due = random.number(in: 0...50)
        queue.plan(step, at: Instant(seconds: due))
        // Whoever stands there keeps the place.
        queue.plan(step, at: Instant(seconds: due - 10))
        list.append((due, step))
      } else {
        let now = random.number(in: 0...50)
        let limit = Int(random.number(in: 0...5))
        list.sort { ($0.due, $0.user) < ($1.due, $1.user) }
        let expected = list.prefix { $0.due <= now }.prefix(limit)
        #expect(queue.dequeueDue(at: Instant(seconds: now), limit: limit) == expected.map(\.user))
        list.removeFirst(expected.count)
      }
      #expect(queue.count == list.count)
      #expect(queue.earliest?.seconds == list.map(\.due).min())
    }
  }
}
