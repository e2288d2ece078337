/// A night of very many users on several workers and one database, event by event: what was measured with few machines, reckoned for more.
///
/// A shard's users are looked at and judged in batches, one after another, on one of its worker's cores; each batch is committed on one of
/// the server's cores, while the next is judged. Left out: the network, the API's own time, and the server's disk.
struct GrowthModel {
  /// A worker's processor time for a user, in seconds: three looks, judging and the close.
  let workerSeconds: Double
  /// The server's processor time for a user's lines, in seconds.
  let serverSeconds: Double
  var coresOfWorker = 4
  var coresOfServer = 4
  var shards = 256

  /// How many users are judged for one commit.
  private static let batchUsers = 1_000

  /// How a night went.
  struct Night {
    /// From the first look to the last commit.
    var seconds = 0.0
    /// The part of the time for which the server's cores were busy.
    var serverLoad = 0.0
  }

  private struct Shard {
    var usersLeft: Int
    var isCommitting = false
    /// A batch that was judged and waits for the commit before it.
    var judged: Int?
  }

  private enum Event {
    case judged(shard: Int, users: Int)
    case committed(shard: Int)
  }

  /// A night of so many users on so many workers.
  func night(users: Int, workers: Int) -> Night {
    var state = (0..<shards).map {
      Shard(usersLeft: users / shards + ($0 < users % shards ? 1 : 0))
    }
    var free = Array(repeating: coresOfWorker, count: workers)
    var ready = (0..<workers).map { worker in Array(stride(from: worker, to: shards, by: workers)) }
    var freeOfServer = coresOfServer
    var commits: [(shard: Int, users: Int)] = []
    var events = EventQueue<Event>()
    var night = Night()
    var busy = 0.0

    func begin(at now: Double) {
      for worker in 0..<workers {
        while free[worker] > 0, !ready[worker].isEmpty {
          let shard = ready[worker].removeFirst()
          let batch = min(Self.batchUsers, state[shard].usersLeft)
          if batch == 0 { continue }
          state[shard].usersLeft -= batch
          free[worker] -= 1
          events.add(
            .judged(shard: shard, users: batch), at: now + Double(batch) * workerSeconds)
        }
      }
      while freeOfServer > 0, !commits.isEmpty {
        let (shard, users) = commits.removeFirst()
        let seconds = Double(users) * serverSeconds
        freeOfServer -= 1
        busy += seconds
        events.add(.committed(shard: shard), at: now + seconds)
      }
    }

    begin(at: 0)
    while let (now, event) = events.next() {
      night.seconds = now
      switch event {
      case .judged(let shard, let users):
        free[shard % workers] += 1
        if state[shard].isCommitting {
          state[shard].judged = users
        } else {
          state[shard].isCommitting = true
          commits.append((shard, users))
          ready[shard % workers].append(shard)
        }
      case .committed(let shard):
        freeOfServer += 1
        state[shard].isCommitting = false
        if let users = state[shard].judged {
          state[shard].judged = nil
          state[shard].isCommitting = true
          commits.append((shard, users))
          ready[shard % workers].append(shard)
        }
      }
      begin(at: now)
    }
    night.serverLoad = busy / (night.seconds * Double(coresOfServer))
    return night
  }
}

/// What is to happen, the earliest first; a binary heap.
private struct EventQueue<Event> {
  private var heap: [(at: Double, event: Event)] = []

  mutating func add(_ event: Event, at time: Double) {
    heap.append((time, event))
    var child = heap.count - 1
    while child > 0, heap[child].at < heap[(child - 1) / 2].at {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func next() -> (Double, Event)? {
    guard let first = heap.first else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].at < heap[least].at {
        least = child
      }
      if least == parent { return (first.at, first.event) }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
