package import CivilTime
internal import Digests
internal import HTTPClient
package import Scheduling
internal import StrictJSON

/// A user's device for pushes.
package struct PushDevice: Sendable, Equatable {
  /// The device's token.
  package let token: String
  /// The user's language, such as `ja` or `pt-BR`; nil if unknown.
  package let language: String?
  /// The user's zone; nil if unknown, and then there are no quiet hours.
  package let zone: Zone?

  package init(token: String, language: String?, zone: Zone?) {
    self.token = token
    self.language = language
    self.zone = zone
  }

  /// Returns whether both are equal.
  package static func == (left: PushDevice, right: PushDevice) -> Bool {
    left.token == right.token && left.language == right.language
      && left.zone?.name == right.zone?.name
  }
}

/// A directory of users' devices.
package protocol PushDevices: Sendable {
  /// Returns the user's device; nil if there is none.
  func device(of user: String) async -> PushDevice?
  /// Forgets a token that no longer reaches a device; a newer token of the same user stays.
  func forget(_ token: String, of user: String) async
}

/// Pushes events to users' devices through Firebase Cloud Messaging, with texts from templates. It respects quiet hours and drops
/// events that have become pointless.
package struct FCMSink: Sink {
  /// The settings of the sink.
  package struct Settings: Sendable {
    /// The service account.
    package var account: ServiceAccount
    /// The server that messages are sent to, without a path.
    package var endpoint: WebhookAddress
    /// The texts.
    package var templates = PushTemplates.builtIn
    /// The hours without pushes; nil for none.
    package var quietHours: QuietHours?
    /// The topic for events of no user; nil for none.
    package var topic: String?
    /// The age in seconds after which events are no longer pushed.
    package var maxAgeSeconds: Int64 = 86_400
    /// The maximum number of concurrent requests.
    package var concurrency = 64
    /// How long Google may take to answer.
    package var timeoutSeconds = 15.0

    package init(account: ServiceAccount, endpoint: WebhookAddress) {
      self.account = account
      self.endpoint = endpoint
    }
  }

  private let settings: Settings
  private let devices: any PushDevices
  private let clock: any ServiceClock
  private let http: any HTTPSending
  private let tokens: AccessTokens

  /// Creates a sink with its own connections.
  package init(_ settings: Settings, devices: any PushDevices, clock: any ServiceClock) {
    self.settings = settings
    self.devices = devices
    self.clock = clock
    http = HTTPClient(
      concurrentTransfers: settings.concurrency, addresses: settings.endpoint.rule)
    tokens = AccessTokens(
      settings.account, for: .messaging,
      http: HTTPClient(concurrentTransfers: 1, addresses: settings.account.tokenAddress.rule),
      clock: clock, timeoutSeconds: settings.timeoutSeconds)
  }

  /// One event per shipment.
  package var options: SinkOptions {
    var options = SinkOptions()
    options.shipmentsAtOnce = settings.concurrency
    return options
  }

  /// Pushes the events one after another, until one is not settled.
  package func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
    await deliverInOrder(events) { await push($0).outcome }
  }

  /// Pushes one event; returns the outcome and Google's answer.
  package func push(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
    var device: PushDevice?
    if let user = event.subject {
      device = await devices.device(of: user)
      if device == nil { return (.notWanted, []) }
    } else if settings.topic == nil {
      return (.notWanted, [])
    }
    // An event that is pointless only by an uncertain clock is still sent.
    let now = clock.certain()
    guard let message = PushMessage(event, to: device, settings, now: now) else {
      return (.notWanted, [])
    }
    if let quiet = settings.quietHours, let zone = device?.zone,
      let end = quiet.end(at: now, in: zone)
    {
      return (end < message.pointlessFrom ? .postponed(until: end) : .notWanted, [])
    }
    return await send(message, to: event.subject, device, isSecond: false)
  }

  /// Asks Google to check a message without sending it; this tests credentials, project and texts.
  package func test(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
    let message = PushMessage(
      testing: event, topic: settings.topic ?? "rewards-test", now: clock.now())
    return await send(message, to: nil, nil, isSecond: false)
  }

  private func send(
    _ message: PushMessage, to user: String?, _ device: PushDevice?, isSecond: Bool
  ) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
    let token: String
    switch await tokens.current() {
    case .success(let text): token = text
    case .failure(let failure): return (.unavailable(reason: failure.reason), [])
    }
    var request = HTTPRequest(
      .post(message.json),
      url: "\(settings.endpoint.url)/v1/projects/\(settings.account.project)/messages:send",
      headers: [
        HTTPHeader("Authorization", "Bearer \(token)"),
        HTTPHeader("Content-Type", "application/json"),
      ], timeoutSeconds: settings.timeoutSeconds, bodyLimitBytes: DeliveryFailure.answerLimitBytes)
    request.takesBeginning = true
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try await http.send(request)
    } catch {
      return (.failed(DeliveryFailure("\(error)", isSinkWide: true)), [])
    }
    // If there is an FCM error code, Google has accepted the token.
    if response.status == 401, Self.code(of: response) == nil {
      await tokens.forget(token)
      if !isSecond { return await send(message, to: user, device, isSecond: true) }
      return (.unavailable(reason: "HTTP 401: Google refuses the access token"), response.body)
    }
    if Self.isUnregistered(response), let user, let device {
      await devices.forget(device.token, of: user)
      return (.notWanted, response.body)
    }
    return (outcome(of: response), response.body)
  }

  private func outcome(of response: HTTPResponse) -> DeliveryOutcome {
    let status = response.status
    switch status {
    case 200..<300: return .delivered(status: status)
    // Google has examined the message and will never accept it.
    case 400, 404:
      return .refused(reason: "HTTP \(status)\(Self.words(of: response))", status: status)
    default:
      let isSinkWide =
        status == 403 && !(Self.code(of: response).map(Self.deviceCodes.contains) ?? false)
      return .failed(
        DeliveryFailure(
          answer: response, Self.words(of: response), now: clock.now(), isSinkWide: isSinkWide))
    }
  }

  /// The codes of https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
  private static let codes = [
    "UNSPECIFIED_ERROR", "INVALID_ARGUMENT", "UNREGISTERED", "SENDER_ID_MISMATCH",
    "QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL", "THIRD_PARTY_AUTH_ERROR",
  ]

  /// The codes that concern one device, or all of its kind, and say nothing about others: it belongs to another project's app, or
  /// the push service of Apple or a browser refuses the project's key.
  private static let deviceCodes: Set = ["SENDER_ID_MISMATCH", "THIRD_PARTY_AUTH_ERROR"]

  private static func code(of response: HTTPResponse) -> String? {
    let error = (try? JSONNode.parse(response.body))?["error"]
    let found = error?["details"]?.elements?.compactMap { $0["errorCode"]?.string }.first
    return found.flatMap { codes.contains($0) ? $0 : nil }
  }

  private static func words(of response: HTTPResponse) -> String {
    code(of: response).map { ": \($0)" } ?? ""
  }

  private static func isUnregistered(_ response: HTTPResponse) -> Bool {
    response.status == 404 && code(of: response) == "UNREGISTERED"
  }
}
