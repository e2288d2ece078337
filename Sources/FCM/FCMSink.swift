public import CivilTime
internal import Digests
internal import HTTPClient
public import NotificationRelay
public import Scheduling
internal import StrictJSON
public import Webhook

/// Where a user is reached.
public struct PushDevice: Sendable, Equatable {
  /// The device's token.
  public let token: String
  /// What the user reads, as `ja` or `pt-BR`; nil where nobody knows.
  public let language: String?
  /// The user's zone; nil where it is unknown, and then no hours are quiet.
  public let zone: Zone?

  /// A device.
  public init(token: String, language: String?, zone: Zone?) {
    self.token = token
    self.language = language
    self.zone = zone
  }

  /// Whether both say the same.
  public static func == (left: PushDevice, right: PushDevice) -> Bool {
    left.token == right.token && left.language == right.language
      && left.zone?.name == right.zone?.name
  }
}

/// Knows where users are reached.
public protocol PushDevices: Sendable {
  /// The user's device; nil for whoever has none.
  func device(of user: String) async -> PushDevice?
  /// Forgets a token that reaches nobody any more; a later one of the same user counts.
  func forget(_ token: String, of user: String) async
}

/// Pushes events to users' devices by Firebase Cloud Messaging: a text by templates, not in quiet hours, and not when it makes
/// no sense any more.
public struct FCMSink: Sink {
  /// What the sink needs to know.
  public struct Settings: Sendable {
    /// The service account.
    public var account: ServiceAccount
    /// Where messages are sent, without a path.
    public var endpoint: WebhookAddress
    /// The texts.
    public var templates = PushTemplates.builtIn
    /// When nobody is woken; nil for never.
    public var quietHours: QuietHours?
    /// Where events of no user go; nil for nowhere.
    public var topic: String?
    /// Events that are older are not pushed any more, in seconds.
    public var maxAgeSeconds: Int64 = 86_400
    /// How many requests at once at most.
    public var concurrency = 64
    /// How long Google may take to answer.
    public var timeoutSeconds = 15.0

    /// The usual settings.
    public init(account: ServiceAccount, endpoint: WebhookAddress) {
      self.account = account
      self.endpoint = endpoint
    }
  }

  private let settings: Settings
  private let devices: any PushDevices
  private let clock: any ServiceClock
  private let http: any HTTPSending
  private let tokens: AccessTokens

  /// A sink with connections of its own.
  public init(_ settings: Settings, devices: any PushDevices, clock: any ServiceClock) {
    self.settings = settings
    self.devices = devices
    self.clock = clock
    http = HTTPClient(
      concurrentTransfers: settings.concurrency, addresses: settings.endpoint.rule)
    tokens = AccessTokens(
      settings.account,
      http: HTTPClient(concurrentTransfers: 1, addresses: settings.account.tokenAddress.rule),
      clock: clock, timeoutSeconds: settings.timeoutSeconds)
  }

  /// One event at a time.
  public var manners: SinkManners {
    var manners = SinkManners()
    manners.shipmentsAtOnce = settings.concurrency
    return manners
  }

  /// Pushes the events one after the other, until one is not settled.
  public func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
    await deliverInOrder(events) { await push($0).outcome }
  }

  /// Pushes one event; what came of it, and what Google answered.
  public func push(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
    var device: PushDevice?
    if let user = event.subject {
      device = await devices.device(of: user)
      if device == nil { return (.notWanted, []) }
    } else if settings.topic == nil {
      return (.notWanted, [])
    }
    // What has lost its point only by a clock in doubt is sent.
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

  /// Has Google look at a message without sending it to anybody: credentials, project and texts are tried.
  public func test(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
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
    // With a code of FCM's own it has taken the token.
    if response.status == 401, Self.code(of: response) == nil {
      await tokens.forget(token)
      if !isSecond { return await send(message, to: user, device, isSecond: true) }
      return (.unavailable(reason: "HTTP 401: the access token is refused"), response.body)
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
    // Google has looked at the message and will never take it.
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

  /// https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
  private static let codes = [
    "UNSPECIFIED_ERROR", "INVALID_ARGUMENT", "UNREGISTERED", "SENDER_ID_MISMATCH",
    "QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL", "THIRD_PARTY_AUTH_ERROR",
  ]

  /// What is wrong with one device, or with all of its kind, says nothing of the others: it belongs to another project's app, or
  /// Apple or a browser's push service refuses the project's key.
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
