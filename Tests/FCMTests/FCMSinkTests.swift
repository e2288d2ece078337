import CivilTime
import Digests
import Foundation
import Foundations
import HTTPServer
import NotificationRelay
import Sandbox
import Scheduling
import StrictJSON
import TestSupport
import Testing

/// Pushes to a Google on a real socket. The assertion is also checked by another implementation of JWT, in Tests/Relay.
@Suite(.offThePool) struct FCMSinkTests {
  private static let zones: any ZoneSource = SystemZones(directory: nil)
  private static let noon = Instant(seconds: 1_795_176_000)  // 2026-11-20T12:00:00Z

  private let google: FakeGoogle

  init() throws { google = try FakeGoogle() }

  private func device(_ language: String? = nil, zone: String = "Etc/UTC") throws -> PushDevice {
    PushDevice(token: "device-1", language: language, zone: try Self.zones.zone(named: zone))
  }

  private func sink(
    _ devices: [String: PushDevice], at now: Instant = noon,
    _ change: (inout FCMSink.Settings) -> Void = { _ in }
  ) throws -> (FCMSink, KnownDevices, VirtualClock) {
    let account = try ServiceAccount(TestAccount.file(port: google.server.port))
    let endpoint = try WebhookAddress.parse(
      "http://127.0.0.1:\(google.server.port)", allowsPrivate: false
    ).get()
    var settings = FCMSink.Settings(account: account, endpoint: endpoint)
    change(&settings)
    let (known, clock) = (KnownDevices(devices), VirtualClock(at: now, until: now))
    return (FCMSink(settings, devices: known, clock: clock), known, clock)
  }

  private func atRisk(_ user: String? = "ann", at: Instant = noon, hours: Int64 = 3) -> CloudEvent {
    var event = CloudEvent(
      id: "l/7", source: "urn:uuid:l", type: .streakAtRisk, subject: user,
      time: at, data: "{\"day\":\"2026-11-20\",\"length\":12,\"cycleDay\":5,\"end\":\"x\"}")
    event.pointlessFrom = at.adding(seconds: hours * 3_600)
    return event
  }

  private func level(_ number: Int = 4, at: Instant = noon) -> CloudEvent {
    CloudEvent(
      id: "l/\(number)", source: "urn:uuid:l", type: .levelReached,
      subject: "ann", time: at, data: "{\"level\":\(number),\"effective\":\"x\"}")
  }

  private static func refusal(_ status: Int, _ code: String) -> ServerResponse {
    .json(
      Array(
        "{\"error\":{\"code\":\(status),\"details\":[{\"errorCode\":\"\(code)\"}]}}".utf8),
      status: status)
  }

  @Test func signsAsOpenSSLDoes() throws {
    let signer = try #require(RSASigner(pem: Array(TestAccount.key.utf8)))
    let signature = try #require(signer.signature(of: Array("header.claims".utf8)))
    #expect(Base64.text(signature) == TestAccount.signature)
    #expect(RSASigner(pem: Array(TestAccount.curveKey.utf8)) == nil)
    #expect(RSASigner(pem: Array("-----BEGIN PRIVATE KEY-----".utf8)) == nil)
    #expect(RSASigner(pem: []) == nil)
  }

  @Test func pushesATextToTheDevice() async throws {
    let (sink, _, _) = try sink(["ann": device("ja-JP")])
    #expect(await sink.deliver([atRisk()]) == [.delivered(status: 200)])
    let message = try #require(google.messages.first?["message"])
    #expect(message["token"]?.string == "device-1")
    #expect(message["notification"]?["title"]?.string == "12日連続が途切れそうです")
    #expect(message["notification"]?["body"]?.string?.contains("あと3時間") == true)
    #expect(message["data"]?["id"]?.string == "l/7")
    #expect(message["data"]?["length"]?.string == "12")
    #expect(message["android"]?["ttl"]?.string == "10800s")
    #expect(
      message["apns"]?["headers"]?["apns-expiration"]?.string == "\(Self.noon.seconds + 10_800)")
    #expect(message["apns"]?["payload"]?["aps"]?["sound"]?.string == "default")
    #expect(google.bearers == ["Bearer token-1"])
    await google.server.stop()
  }

  /// Everybody gets the text of a broadcast through the topic, whatever the templates and the users' quiet hours say.
  @Test func aBroadcastGoesToTheTopic() async throws {
    let (sink, _, _) = try sink(["ann": device("ja")]) {
      $0.topic = "ios_platform"
      $0.quietHours = QuietHours("00:00-23:59")
    }
    let event = CloudEvent(
      id: "l/9", source: "urn:uuid:l", type: .broadcast, subject: nil, time: Self.noon,
      data: "{\"title\":\"Cup\",\"body\":\"Gifts count twice\",\"locKey\":\"CUP\"}")
    #expect(await sink.deliver([event]) == [.delivered(status: 200)])
    let message = try #require(google.messages.first?["message"])
    #expect(message["topic"]?.string == "ios_platform" && message["token"] == nil)
    #expect(message["notification"]?["body"]?.string == "Gifts count twice")
    #expect(message["data"]?["id"]?.string == "l/9")
    let alert = message["apns"]?["payload"]?["aps"]?["alert"]
    #expect(alert?["title"]?.string == "Cup" && alert?["loc-key"]?.string == "CUP")
    #expect(alert?["body"] == nil && alert?["loc-args"] == nil)
    let (silent, _, _) = try self.sink([:])
    #expect(await silent.deliver([event]) == [.notWanted])
    await google.server.stop()
  }

  /// A push names what a grant gave, whatever that is: cycle days 1, 2 and 6 of the app, a draw with nothing left, a correction.
  @Test(arguments: [
    (#""points":25,"exp":50,"coins":0,"items":[]"#, "25 points, 50 exp", "25ポイント、経験値50"),
    (
      #""points":0,"exp":0,"coins":0,"items":["fontColor/red"]"#, "font color red",
      "フォントカラー「red」"
    ),
    (
      #""points":0,"exp":0,"coins":50,"items":["levelLabel/levelLabel"]"#,
      "50 cheer coins, level label", "チアコイン50枚、レベルラベル"
    ),
    (
      #""points":0,"exp":0,"coins":0,"items":[],"booster":{"from":"2026-11-20T00:00:00Z","until":"2026-11-21T00:00:00Z"}"#,
      "exp booster for 1 day", "経験値ブースター1日分"
    ),
    (
      #""points":-1,"exp":0,"coins":0,"items":["hat/x"],"removedItems":["emoji/food"]"#,
      "-1 points, hat x, without emoji food", "-1ポイント、hat x、絵文字「food」の取り消し"
    ),
    (#""points":0,"exp":0,"coins":0,"items":[]"#, "nothing", "なし"),
  ])
  func namesWhatWasGiven(data: String, english: String, japanese: String) async throws {
    let texts = """
      {"fallback": "en", "texts": {"reward.granted": {
        "en": {"title": "{mission}", "body": "{reward}", "loc-key": "GOT", "loc-args": ["{reward}", "{boosterDays}"]},
        "ja": {"title": "{mission}", "body": "{reward}"}}}}
      """
    let templates = try PushTemplates.parse(Array(texts.utf8)).get()
    let event = CloudEvent(
      id: "k", source: "urn:uuid:l", type: .rewardGranted, subject: "ann", time: Self.noon,
      data:
        "{\"mission\":\"comment\",\"title\":{\"en\":\"Comment once\",\"ja\":\"1回コメントする\"},\(data)}")
    for (language, mission, words) in [
      ("pt", "Comment once", english), ("ja-JP", "1回コメントする", japanese),
    ] {
      let (sink, _, _) = try sink(["ann": device(language)]) { $0.templates = templates }
      #expect(await sink.deliver([event]) == [.delivered(status: 200)])
      let message = try #require(google.messages.last?["message"])
      #expect(message["notification"]?["title"]?.string == mission)
      #expect(message["notification"]?["body"]?.string == words)
      let alert = message["apns"]?["payload"]?["aps"]?["alert"]
      #expect(alert?["loc-key"]?.string == (language == "pt" ? "GOT" : nil))
      #expect(alert?["body"]?.string == (language == "pt" ? nil : words))
      #expect(alert?["loc-args"]?.elements?.first?.string == (language == "pt" ? words : nil))
    }
    await google.server.stop()
  }

  @Test func theAssertionSaysWhoAsksForWhat() async throws {
    let (sink, _, _) = try sink(["ann": device()])
    _ = await sink.deliver([level()])
    let form = try #require(google.assertions.first)
    #expect(
      form.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="))
    let parts = form.split(separator: "=").last.map { $0.split(separator: ".") } ?? []
    #expect(parts.count == 3)
    let texts = parts.prefix(2).compactMap { part -> JSONNode? in
      var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
      while text.utf8.count % 4 != 0 { text += "=" }
      return Base64.bytes(text).flatMap { try? JSONNode.parse($0) }
    }
    #expect(texts.count == 2)
    #expect(texts.first?["alg"]?.string == "RS256")
    #expect(texts.first?["kid"]?.string == "key-1")
    let claims = try #require(texts.last)
    #expect(claims["iss"]?.string == "push@cheer-supports-test.iam.gserviceaccount.com")
    #expect(claims["aud"]?.string == "http://127.0.0.1:\(google.server.port)/token")
    #expect(claims["scope"]?.string == "https://www.googleapis.com/auth/firebase.messaging")
    #expect(claims["iat"]?.int == Self.noon.seconds)
    #expect(claims["exp"]?.int == Self.noon.seconds + 3_600)
    await google.server.stop()
  }

  /// Many pushes at once wait for one refresh; the token is kept until a minute before its end.
  @Test func oneTokenForAll() async throws {
    let (sink, _, clock) = try sink(["ann": device()])
    await withTaskGroup(of: Void.self) { group in
      for number in 2..<22 { group.addTask { _ = await sink.deliver([level(number)]) } }
    }
    #expect(google.assertions.count == 1)
    #expect(google.messages.count == 20)
    await clock.run(until: Self.noon.adding(seconds: 3_539))
    _ = await sink.deliver([level(22)])
    #expect(google.assertions.count == 1)
    await clock.run(until: Self.noon.adding(seconds: 3_540))
    _ = await sink.deliver([level(23)])
    #expect(google.assertions.count == 2)
    #expect(google.bearers.last == "Bearer token-2")
    // By a clock that was days ahead it is good for days.
    clock.step(bySeconds: -3 * 86_400)
    _ = await sink.deliver([level(24)])
    #expect(google.assertions.count == 3)
    await google.server.stop()
  }

  @Test func aRefusedTokenIsRefreshedOnce() async throws {
    let (sink, _, _) = try sink(["ann": device()])
    google.answer(Self.refusal(401, "X"))
    #expect(await sink.deliver([level()]) == [.delivered(status: 200)])
    #expect(google.bearers == ["Bearer token-1", "Bearer token-2"])
    google.answer(Self.refusal(401, "X"), Self.refusal(401, "X"))
    guard case .unavailable = await sink.deliver([level(5)]).first else {
      Issue.record("a token that is refused twice is no attempt")
      return
    }
    google.answerTokens(
      .json(
        Array("{\"error\":\"invalid_grant\",\"error_description\":\"secret\"}".utf8), status: 400))
    #expect(
      await sink.deliver([level(6)])
        == [.unavailable(reason: "no access token: HTTP 400: invalid_grant")])
    await google.server.stop()
  }

  @Test func aDeviceThatIsGoneIsForgotten() async throws {
    let (sink, known, _) = try sink(["ann": device()])
    google.answer(Self.refusal(404, "UNREGISTERED"))
    #expect(await sink.deliver([level()]) == [.notWanted])
    #expect(await known.device(of: "ann") == nil)
    #expect(await sink.deliver([level(5)]) == [.notWanted])
    #expect(google.messages.count == 1)
    await google.server.stop()
  }

  @Test(arguments: [
    (400, "INVALID_ARGUMENT", "refused HTTP 400: INVALID_ARGUMENT"),
    (404, "secret", "refused HTTP 404"),
    (403, "SENDER_ID_MISMATCH", "failed HTTP 403: SENDER_ID_MISMATCH alone"),
    (401, "THIRD_PARTY_AUTH_ERROR", "failed HTTP 401: THIRD_PARTY_AUTH_ERROR alone"),
    (403, "THIRD_PARTY_AUTH_ERROR", "failed HTTP 403: THIRD_PARTY_AUTH_ERROR alone"),
    (403, "X", "failed HTTP 403 all"),
    (429, "QUOTA_EXCEEDED", "failed HTTP 429: QUOTA_EXCEEDED all"),
    (503, "UNAVAILABLE", "failed HTTP 503: UNAVAILABLE all"),
  ])
  func knowsWhatGoogleMeans(status: Int, code: String, meaning: String) async throws {
    let (sink, _, _) = try sink(["ann": device()])
    google.answer(Self.refusal(status, code))
    let text =
      switch await sink.deliver([level()]).first {
      case .refused(let reason, _): "refused \(reason)"
      case .failed(let failure): "failed \(failure.reason) \(failure.isSinkWide ? "all" : "alone")"
      default: "?"
      }
    #expect(text == meaning)
    #expect(google.bearers == ["Bearer token-1"])
    await google.server.stop()
  }

  @Test func whatHasNoTextNoUserOrNoDeviceIsPassedOver() async throws {
    let (sink, _, _) = try sink(["ann": device()])
    let closed = CloudEvent(
      id: "l/1", source: "s", type: .dayClosed, subject: nil,
      time: Self.noon,
      data: "{}")
    let extended = CloudEvent(
      id: "l/2", source: "s", type: .streakExtended, subject: "ann",
      time: Self.noon, data: "{}")
    #expect(
      await sink.deliver([closed, extended, atRisk("bob"), level()])
        == [.notWanted, .notWanted, .notWanted, .delivered(status: 200)])
    #expect(google.messages.count == 1)
    await google.server.stop()
  }

  /// Quiet hours are the user's; a push is put off until they end, or dropped where it makes no sense then.
  @Test func quietHoursDelayButNeverBeyondTheSense() async throws {
    // 22:00 in Tokyo.
    let night = try InstantText.parse("2026-11-20T13:00:00Z").instant
    let morning = try InstantText.parse("2026-11-20T23:00:00Z").instant
    let (sink, _, clock) = try sink(["ann": device(zone: "Asia/Tokyo")], at: night) {
      $0.quietHours = QuietHours("22:00-08:00")
    }
    #expect(await sink.deliver([level(at: night)]) == [.postponed(until: morning)])
    #expect(await sink.deliver([atRisk(at: night, hours: 2)]) == [.notWanted])
    #expect(google.messages.isEmpty)
    await clock.run(until: morning)
    #expect(await sink.deliver([level(at: night)]) == [.delivered(status: 200)])
    // What is a day old is no news.
    #expect(await sink.deliver([level(at: morning.adding(seconds: -86_400))]) == [.notWanted])
    await google.server.stop()
  }

  @Test func quietHoursFollowTheClockOnTheWall() throws {
    let berlin = try Self.zones.zone(named: "Europe/Berlin")
    let quiet = try #require(QuietHours("22:00-02:30"))
    func end(_ text: String) throws -> String? {
      quiet.end(at: try InstantText.parse(text).instant, in: berlin)?.description
    }
    // 02:30 does not exist on 2026-03-29, and exists twice on 2026-10-25.
    #expect(try end("2026-03-28T22:00:00Z") == "2026-03-29T01:00:00Z")
    #expect(try end("2026-10-24T21:00:00Z") == "2026-10-25T00:30:00Z")
    #expect(try end("2026-11-20T20:59:59Z") == nil)
    #expect(try end("2026-11-20T21:00:00Z") == "2026-11-21T01:30:00Z")
    #expect(try end("2026-11-21T01:30:00Z") == nil)
    for bad in [
      "22:00", "22:00-22:00", "24:00-08:00", "2:00-08:00", "22:00-08:60", "22:00-08:00-09:00", "",
    ] {
      #expect(QuietHours(bad) == nil, "\(bad)")
    }
  }

  @Test(arguments: [
    "type", "project_id", "private_key", "private_key_id", "client_email", "token_uri",
  ])
  func aKeyFileThatLacksSomethingIsRefused(field: String) throws {
    let flaw = #expect(throws: ServiceAccount.Flaw.self) {
      try ServiceAccount(TestAccount.file(port: 1, without: field))
    }
    #expect(flaw?.description.contains(field) == true)
    #expect(flaw?.description.contains("BEGIN") == false)
  }

  @Test func aKeyThatIsNoneIsRefusedWithoutAWordOfIt() {
    let flaw = #expect(throws: ServiceAccount.Flaw.self) {
      try ServiceAccount(TestAccount.file(port: 1, key: TestAccount.curveKey))
    }
    #expect(flaw?.description == "has a \"private_key\" that is not an RSA key in PEM")
  }
}
