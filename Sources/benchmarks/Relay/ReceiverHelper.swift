import Foundation
import Foundations
import HTTPServer
import Operations
import StrictJSON

/// A webhook receiver in a separate process, which checks that each user's events come once and in order.
enum ReceiverHelper {
  private struct State {
    var last: [String: UInt64] = [:]
    var count = 0
    var flaws = 0
  }

  /// Prints its URL and, after `count` events, the number of faults; then waits for the end of its input.
  static func run(count: Int) async throws {
    let state = Lock(State())
    let server = try HTTPServer.start(on: .loopback()) { request in
      guard let id = request.header("webhook-id"), let slash = id.lastIndex(of: "/"),
        let seq = UInt64(id[id.index(after: slash)...]),
        let user = (try? JSONNode.parse(request.body))?["subject"]?.string
      else { return .respond(ServerResponse(status: 400)) }
      let flaws = state.withLock { state -> Int? in
        if state.last[user, default: 0] >= seq { state.flaws += 1 }
        state.last[user] = seq
        state.count += 1
        return state.count == count ? state.flaws : nil
      }
      if let flaws { FileHandle.standardOutput.write(Data("\(flaws)\n".utf8)) }
      return .respond(ServerResponse(status: 204))
    }
    FileHandle.standardOutput.write(Data("http://127.0.0.1:\(server.port)/events\n".utf8))
    while readLine() != nil {}
    await server.stop()
  }

  /// Prints its URL and, for each line of input, the ids of the events so far, each once, with the nanosecond at which its
  /// request arrived.
  static func time() async throws {
    let arrivals = Lock<[String: Int64]>([:])
    let server = try HTTPServer.start(on: .loopback()) { request in
      let now = nanoseconds()
      if let id = request.header("webhook-id") {
        arrivals.withLock { $0[id] = min($0[id] ?? now, now) }
      }
      return .respond(ServerResponse(status: 204))
    }
    FileHandle.standardOutput.write(Data("http://127.0.0.1:\(server.port)/events\n".utf8))
    while readLine() != nil {
      let text = arrivals.withLock { $0.map { "\($0.key) \($0.value)" } }.joined(separator: "\t")
      FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
    await server.stop()
  }

  /// Returns nanoseconds on a clock that all processes of a machine share.
  static func nanoseconds() -> Int64 { SystemClock().sinceBoot() ?? 0 }
}
