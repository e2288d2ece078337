internal import CivilTime
internal import HTTPClient
internal import Scheduling
internal import StrictJSON

/// Calls Firestore's REST interface with a service account's tokens.
struct FirestoreClient: Sendable {
  /// Why a call was of no use.
  enum Failure: Error, Sendable, Equatable {
    /// The same call may succeed later.
    case failed(DeliveryFailure)
    /// No call can succeed before somebody changes something; in words.
    case unavailable(String)
    /// Somebody has changed or deleted a document since it was read; nothing was written.
    case conflict
    /// Nothing was read or written because of one of the documents, or of all together; in words.
    case refused(String, status: Int?)
  }

  /// The largest answer that is read.
  private static let answerLimitBytes = 16 << 20

  /// `ENDPOINT/v1/projects/P/databases/D/documents`.
  private let base: String
  private let http: any HTTPSending
  private let tokens: AccessTokens
  private let clock: any ServiceClock
  private let timeoutSeconds: Double

  init(
    base: String, http: any HTTPSending, tokens: AccessTokens, clock: any ServiceClock,
    timeoutSeconds: Double
  ) {
    self.base = base
    self.http = http
    self.tokens = tokens
    self.clock = clock
    self.timeoutSeconds = timeoutSeconds
  }

  /// Reads documents by name; those that do not exist are missing in the result.
  func documents(
    _ names: [String], fields: [String]
  ) async throws(Failure) -> [String: StoreDocument] {
    let answer = try await read("batchGet", StoreRequest.batchGet(names, fields: fields))
    var found: [String: StoreDocument] = [:]
    for element in answer {
      guard let node = element["found"] else { continue }
      guard let document = StoreDocument(node) else { throw Self.unreadable }
      found[document.name] = document
    }
    return found
  }

  /// Returns the documents of a collection, at most two, in which `field` is `text`.
  func find(
    _ text: String?, by field: String, in collection: String, fields: [String]
  ) async throws(Failure) -> [StoreDocument] {
    let body = StoreRequest.find(text, by: field, in: collection, fields: fields)
    var found: [StoreDocument] = []
    for node in try await read("runQuery", body).compactMap({ $0["document"] }) {
      guard let document = StoreDocument(node) else { throw Self.unreadable }
      found.append(document)
    }
    return found
  }

  /// Writes all changes or none. After an error other than ``Failure/conflict`` and ``Failure/refused(_:status:)`` nobody knows.
  func commit(_ changes: [StoreChange], _ fields: StoreFields) async throws(Failure) {
    let response = try await call("commit", StoreRequest.commit(changes, fields))
    switch (response.status, Self.word(of: response)) {
    case (200..<300, _):
      // An answer of something in between says nothing about the commit.
      guard (try? JSONNode.parse(response.body))?["writeResults"]?.elements?.count == changes.count
      else {
        throw .failed(
          DeliveryFailure(Self.unreadableText, status: response.status, isSinkWide: false))
      }
    case (409, _), (404, _), (400, "FAILED_PRECONDITION"): throw .conflict
    default: throw failure(of: response)
    }
  }

  /// The failure of an answer that promises success and cannot be read.
  private static let unreadable = Failure.refused(unreadableText, status: 200)
  private static let unreadableText = "the answer is not what Firestore sends"

  private func read(_ method: String, _ body: [UInt8]) async throws(Failure) -> [JSONNode] {
    let response = try await call(method, body)
    guard (200..<300).contains(response.status) else {
      switch (response.status, Self.word(of: response)) {
      case (404, _): throw .unavailable("HTTP 404: there is no such project or database")
      case (400, "FAILED_PRECONDITION"):
        throw .unavailable("HTTP 400: FAILED_PRECONDITION, such as a missing index")
      default: throw failure(of: response)
      }
    }
    guard let elements = (try? JSONNode.parse(response.body))?.elements else {
      throw Self.unreadable
    }
    return elements
  }

  private func failure(of response: HTTPResponse) -> Failure {
    let (status, word) = (response.status, Self.word(of: response))
    let words = word.map { ": \($0)" } ?? ""
    switch status {
    case 401, 403: return .unavailable("HTTP \(status)\(words)")
    case 400, 413: return .refused("HTTP \(status)\(words)", status: status)
    default:
      return .failed(
        DeliveryFailure(answer: response, words, now: clock.now(), isSinkWide: true))
    }
  }

  private func call(
    _ method: String, _ body: [UInt8], isSecond: Bool = false
  ) async throws(Failure) -> HTTPResponse {
    let token: String
    switch await tokens.current() {
    case .success(let text): token = text
    case .failure(let failure): throw .unavailable(failure.reason)
    }
    let request = HTTPRequest(
      .post(body), url: "\(base):\(method)",
      headers: [
        HTTPHeader("Authorization", "Bearer \(token)"),
        HTTPHeader("Content-Type", "application/json"),
      ], timeoutSeconds: timeoutSeconds, bodyLimitBytes: Self.answerLimitBytes)
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try await http.send(request)
    } catch .tooLarge {
      throw .refused("the answer is larger than \(Self.answerLimitBytes >> 20) MiB", status: nil)
    } catch {
      throw .failed(DeliveryFailure("\(error)", isSinkWide: true))
    }
    guard response.status == 401, !isSecond else { return response }
    await tokens.forget(token)
    return try await call(method, body, isSecond: true)
  }

  /// The codes of https://cloud.google.com/apis/design/errors#handling_errors: nothing else of an answer is shown.
  private static let words = [
    "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE", "UNAUTHENTICATED",
    "PERMISSION_DENIED", "NOT_FOUND", "ALREADY_EXISTS", "ABORTED", "RESOURCE_EXHAUSTED",
    "CANCELLED", "DATA_LOSS", "UNKNOWN", "INTERNAL", "UNIMPLEMENTED", "UNAVAILABLE",
    "DEADLINE_EXCEEDED",
  ]

  private static func word(of response: HTTPResponse) -> String? {
    guard let node = try? JSONNode.parse(response.body) else { return nil }
    // Streamed answers are arrays.
    let error = node["error"] ?? node.elements?.first?["error"]
    return error?["status"]?.string.flatMap { words.contains($0) ? $0 : nil }
  }
}
