internal import CivilTime
package import Failures
package import HTTPClient
package import Scheduling

/// Posts each event to a URL: CloudEvents 1.0 in structured JSON, signed according to Standard Webhooks.
///
/// 2xx is success, 410 stops the sink, redirects are failures, and everything else is retried. An event's body has the same bytes
/// on every attempt; time and signature are those of the attempt.
package struct WebhookSink: Sink {
  /// The settings of a webhook.
  package struct Settings: Sendable {
    /// The URL to post to.
    package var address: WebhookAddress
    /// The secrets to sign with: the current one and, during rotation, the previous one.
    package var secrets: [WebhookSecret]
    /// The maximum number of concurrent requests.
    package var concurrency = 64
    /// How long a receiver may take to answer.
    package var timeoutSeconds = 15.0

    package init(address: WebhookAddress, secrets: [WebhookSecret]) {
      self.address = address
      self.secrets = secrets
    }
  }

  private let settings: Settings
  private let http: any HTTPSending
  private let clock: any ServiceClock

  /// Creates a webhook; `http` must connect only to addresses that the settings allow.
  package init(_ settings: Settings, http: any HTTPSending, clock: any ServiceClock) {
    self.settings = settings
    self.http = http
    self.clock = clock
  }

  /// Creates a webhook with its own connections.
  package init(_ settings: Settings, clock: any ServiceClock) {
    self.init(
      settings,
      http: HTTPClient(
        concurrentTransfers: settings.concurrency, addresses: settings.address.rule), clock: clock)
  }

  /// One event per shipment.
  package var options: SinkOptions {
    var options = SinkOptions()
    options.shipmentsAtOnce = settings.concurrency
    return options
  }

  /// Posts the events one after another, until one fails.
  package func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
    await deliverInOrder(events) { await post($0).outcome }
  }

  /// Posts the event like any other.
  package func test(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
    await post(event)
  }

  /// Posts one event; returns the outcome and the receiver's answer.
  private func post(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
    do {
      let response = try await http.send(request(event))
      return (outcome(of: response), response.body)
    } catch {
      return (.failed(DeliveryFailure(reason(of: error), isSinkWide: true)), [])
    }
  }

  /// Requests the URL without credentials: any answer shows that a server is there.
  package func checkUp() async throws(Failure) -> String {
    let url = settings.address.url
    let request = HTTPRequest(
      url: url, timeoutSeconds: min(Self.longestCheckSeconds, settings.timeoutSeconds))
    do {
      let status = try await http.send(request).status
      let meaning =
        (200..<300).contains(status) ? "" : " to a GET, which proves only that a server is there"
      return "\(url) answers \(status)\(meaning)"
    } catch {
      throw Failure(
        .unavailable, "\(url): \(reason(of: error))",
        remedy: "check the sink's url and the network")
    }
  }

  private static let longestCheckSeconds = 10.0

  private func reason(of failure: HTTPFailure) -> String {
    guard case .refusedAddress = failure, settings.address.rule == .public else {
      return "\(failure)"
    }
    return "\(failure); \"allowPrivate\": true allows a sink in a private network"
  }

  private func request(_ event: CloudEvent) -> HTTPRequest {
    let body = event.json
    let id = Self.headerText(event.id)
    let timestamp = clock.now().seconds
    let signatures = settings.secrets.map {
      $0.signature(id: id, timestamp: timestamp, body: body)
    }
    var request = HTTPRequest(
      .post(Array(body.utf8)), url: settings.address.url,
      headers: [
        HTTPHeader("Content-Type", "application/cloudevents+json"),
        HTTPHeader("webhook-id", id), HTTPHeader("webhook-timestamp", "\(timestamp)"),
        HTTPHeader("webhook-signature", signatures.joined(separator: " ")),
      ], timeoutSeconds: settings.timeoutSeconds, bodyLimitBytes: DeliveryFailure.answerLimitBytes)
    // The status decides, however long the body is.
    request.takesBeginning = true
    return request
  }

  private func outcome(of response: HTTPResponse) -> DeliveryOutcome {
    let status = response.status
    switch status {
    case 200..<300: return .delivered(status: status)
    case 410: return .gone(reason: "the receiver answered 410: it wants no more events")
    case 300..<400:
      return .failed(
        DeliveryFailure(
          "HTTP \(status): redirects are not followed", status: status, isSinkWide: false))
    default:
      return .failed(
        DeliveryFailure(answer: response, now: clock.now()))
    }
  }

  /// Returns the id as a header value: anything but visible ASCII is escaped as in URLs.
  static func headerText(_ id: String) -> String {
    if id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return id }
    var text = ""
    for byte in id.utf8 {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
