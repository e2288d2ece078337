import Foundations
import Sandbox

/// A simulation of a night with very many users, several workers and one database, which extrapolates measurements of a
/// few machines.
///
/// A shard's users are polled and judged in batches, one after another, on one of its worker's cores; each batch is
/// committed on one of the server's cores while the next is judged. The model leaves out the network, the API's own
/// time and the server's disk.
struct GrowthModel {
  /// A worker's processor time per user, in seconds: three polls, judging and the close.
  let workerSeconds: Double
  /// The server's processor time for a user's lines, in seconds.
  let serverSeconds: Double
  var coresOfWorker = 4
  var coresOfServer = 4
  var shards = 256

  /// How many users are judged for each commit.
  private static let batchUsers = 1_000

  /// The result of a night.
  struct Night {
    /// The time from the first poll to the last commit.
    var seconds = 0.0
    /// How busy the server's cores were, from 0 to 1.
    var serverLoad = 0.0
  }

  private struct Shard {
    var usersLeft: Int
    var isCommitting = false
    /// A batch that was judged and waits for the previous commit.
    var judged: Int?
  }

  private enum Event: Equatable {
    case judged(shard: Int, users: Int)
    case committed(shard: Int)
  }

  /// An event and its time.
  private struct Moment: Comparable {
    let at: Double
    let event: Event

    static func < (left: Moment, right: Moment) -> Bool { left.at < right.at }
  }

  /// Simulates a night with these numbers of users and workers.
  func night(users: Int, workers: Int) -> Night {
    var state = (0..<shards).map {
      Shard(usersLeft: users / shards + ($0 < users % shards ? 1 : 0))
    }
    var free = Array(repeating: coresOfWorker, count: workers)
    var ready = (0..<workers).map { worker in Array(stride(from: worker, to: shards, by: workers)) }
    var freeOfServer = coresOfServer
    var commits: [(shard: Int, users: Int)] = []
    var events = Heap<Moment>()
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
          events.insert(
            Moment(
              at: now + Double(batch) * workerSeconds, event: .judged(shard: shard, users: batch)))
        }
      }
      while freeOfServer > 0, !commits.isEmpty {
        let (shard, users) = commits.removeFirst()
        let seconds = Double(users) * serverSeconds
        freeOfServer -= 1
        busy += seconds
        events.insert(Moment(at: now + seconds, event: .committed(shard: shard)))
      }
    }

    begin(at: 0)
    while let next = events.popFirst() {
      night.seconds = next.at
      switch next.event {
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
      begin(at: next.at)
    }
    night.serverLoad = busy / (night.seconds * Double(coresOfServer))
    return night
  }
}
