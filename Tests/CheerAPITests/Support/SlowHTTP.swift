import Foundations
import HTTPClient

/// Takes a few turns of the scheduler before it passes a request on, counts who is inside, and minds cancellation.
final class SlowHTTP: HTTPSending {
  private let behind: FakeHTTP
  private let inside = Lock((now: 0, most: 0))

  init(behind: FakeHTTP) { self.behind = behind }

  var mostAtOnce: Int { inside.withLock { $0.most } }

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    inside.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
    defer { inside.withLock { $0.now -= 1 } }
    for _ in 0..<20 {
      if Task.isCancelled { throw .cancelled }
      await Task.yield()
    }
    return try await behind.send(request)
  }
}
