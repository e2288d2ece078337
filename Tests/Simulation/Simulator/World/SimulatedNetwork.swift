import CivilTime
import Foundations
import HTTPClient
import HTTPServer
import Sandbox
import Scheduling
import StrictJSON

/// What lies beyond the machine: the app's API and the receiver of webhooks, reached without a network.
///
/// A route that is down answers nobody, whatever the others do.
final class SimulatedNetwork: Sendable {
  /// A stretch of true time in which something beyond the machine does not work.
  struct Failure: Sendable, Hashable {
    enum Place: String, Sendable, CaseIterable {
      case api, streams, watches, gifts, receiver
    }
    enum Manner: String, Sendable, CaseIterable {
      case refuses, cuts, hangs
    }
    let place: Place
    let manner: Manner
    let from: Instant
    let to: Instant
  }

  let api: SimulatedAPI
  let receiver = RelayReceiver()
  private let clock: TrueClock
  private let failures: Lock<[Failure]>
  /// Every event as it was first taken, in that order, and those that a receiver took and whose answer was lost.
  private let requests = Lock(0)

  init(api: SimulatedAPI, clock: TrueClock) {
    self.api = api
    self.clock = clock
    failures = Lock([])
  }

  func fail(_ failure: Failure) { failures.withLock { $0.append(failure) } }
  /// Nothing fails from now on.
  func heal() {
    failures.withLock { $0 = [] }
    api.inject(FaultPlan())
  }
  /// How many requests were sent.
  var count: Int { requests.withLock { $0 } }

  fileprivate func answer(
    _ request: ServerRequest, timeoutSeconds: Double
  ) async throws(HTTPFailure) -> HTTPResponse {
    requests.withLock { $0 += 1 }
    let isForReceiver = request.path.hasPrefix("/events")
    let now = clock.now()
    let failure = failures.withLock { failures in
      failures.first { failure in
        failure.from <= now && now < failure.to
          && Self.concerns(failure.place, request.path, isForReceiver)
      }
    }
    switch failure?.manner {
    case .refuses: return HTTPResponse(status: 503)
    case .cuts:
      // Whoever cuts late has taken the event, and it comes again.
      if isForReceiver, now.seconds % 2 == 0 { _ = receiver.answer(request) }
      throw .unreachable("the connection was cut")
    case .hangs: throw await timeout(after: timeoutSeconds)
    case nil: break
    }
    let answer = isForReceiver ? receiver.answer(request) : api.answer(request)
    return try await deliver(answer, timeoutSeconds: timeoutSeconds)
  }

  private static func concerns(
    _ place: Failure.Place, _ path: String, _ isForReceiver: Bool
  ) -> Bool {
    switch place {
    case .receiver: isForReceiver
    case .api: !isForReceiver
    case .streams: path.contains("/channel/streaming/")
    case .watches: path.contains("/channel/watch/")
    case .gifts: path.contains("/yell/info/")
    }
  }

  private func timeout(after seconds: Double) async -> HTTPFailure {
    do { try await clock.sleep(seconds: seconds) } catch { return .cancelled }
    return .timedOut
  }

  private func deliver(
    _ answer: ServerAnswer, timeoutSeconds: Double
  ) async throws(HTTPFailure) -> HTTPResponse {
    switch answer {
    case .respond(let response):
      if response.body.count > 1 << 20 { throw .tooLarge(limitBytes: 1 << 20) }
      var lines = ""
      for field in response.headers { lines += "\(field.name): \(field.value)\n" }
      return HTTPResponse(
        status: response.status, headers: HTTPHeaders(lines: Array(lines.utf8)),
        body: response.body)
    case .cut, .truncate: throw .unreachable("the connection was cut")
    case .delay(let seconds, let late):
      if seconds >= timeoutSeconds { throw await timeout(after: timeoutSeconds) }
      do { try await clock.sleep(seconds: seconds) } catch { throw .cancelled }
      return try await deliver(late, timeoutSeconds: timeoutSeconds)
    case .later: throw .closed
    }
  }
}

/// The connections of a process to what lies beyond its machine.
struct SimulatedConnections: HTTPSending {
  let network: SimulatedNetwork

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    // scheme://host/path?query
    let parts = request.url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    let rest = parts.count > 2 ? parts[2] : ""
    let target = rest.drop { $0 != "/" }
    let path = target.prefix { $0 != "?" }
    var method = "GET"
    var body: [UInt8] = []
    if case .post(let bytes) = request.method { (method, body) = ("POST", bytes) }
    return try await network.answer(
      ServerRequest(
        method: method, path: String(path),
        headers: request.headers.map { HTTPField($0.name, $0.value) }, body: body),
      timeoutSeconds: request.timeoutSeconds)
  }
}
