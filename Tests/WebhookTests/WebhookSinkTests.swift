import CivilTime
import Digests
import Foundations
import HTTPClient
import HTTPServer
import NotificationRelay
import Sandbox
import StrictJSON
import TestSupport
import Testing

/// The webhook against receivers on real sockets.
@Suite(.offThePool) struct WebhookSinkTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let now = Instant(seconds: 1_674_087_231)

  private static func event(_ id: String = "u/2026-11-20/login") -> CloudEvent {
    CloudEvent(
      id: id, source: "urn:uuid:l", type: .rewardGranted, subject: "u",
      time: now, data: "{\"points\":25}")
  }

  private func sink(
    _ server: HTTPServer?, secrets: [String] = [secret], url: String? = nil,
    _ change: (inout WebhookSink.Settings) -> Void = { _ in }
  ) throws -> WebhookSink {
    let url = url ?? "http://127.0.0.1:\(server?.port ?? 1)/events"
    var settings = WebhookSink.Settings(
      address: try WebhookAddress.parse(url, allowsPrivate: false).get(),
      secrets: try secrets.map { try WebhookSecret.parse($0).get() })
    settings.timeoutSeconds = 60
    change(&settings)
    return WebhookSink(settings, clock: VirtualClock(at: Self.now, until: Self.now))
  }

  /// The example of the reference implementations:
  /// https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/python/tests/test_webhooks.py
  @Test func signsAsTheReferenceImplementationsDo() throws {
    let key = try #require(Base64.bytes("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let message = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}"
    let code = HMACKey(key).code(message)
    #expect(Base64.text(code.bytes) == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func postsSignedEventsWithTheSameBytesEachTime() async throws {
    let receiver = RelayReceiver()
    let server = try receiver.start()
    let other = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    let sink = try sink(server, secrets: [Self.secret, other])
    let event = Self.event()
    for _ in 0..<2 { #expect(await sink.deliver([event]) == [.delivered(status: 200)]) }
    let received = try #require(receiver.event(event.id))
    #expect(received.deliveries == 2)
    #expect(received.body == Array(event.json.utf8))
    let headers = Dictionary(
      received.headers.map { ($0.name.lowercased(), $0.value) }
    ) { first, _ in first }
    #expect(headers["content-type"] == "application/cloudevents+json")
    #expect(headers["webhook-id"] == event.id)
    #expect(headers["webhook-timestamp"] == "1674087231")
    let message = "\(event.id).1674087231.\(event.json)"
    let expected = try [Self.secret, other].map { secret in
      let key = try #require(Base64.bytes(String(secret.dropFirst(6))))
      return "v1," + Base64.text(HMACKey(key).code(message).bytes)
    }
    #expect(headers["webhook-signature"] == expected.joined(separator: " "))
    await server.stop()
  }

  @Test(arguments: [
    (200, "delivered 200"), (204, "delivered 204"), (202, "delivered 202"), (410, "gone"),
    (301, "failed 301 alone"), (307, "failed 307 alone"), (400, "failed 400 alone"),
    (401, "failed 401 alone"), (404, "failed 404 alone"), (429, "failed 429 all"),
    (500, "failed 500 all"), (503, "failed 503 all"), (408, "failed 408 all"),
    (999, "failed 999 all"),
  ])
  func knowsWhatAStatusMeans(status: Int, meaning: String) async throws {
    let server = try HTTPServer.start(on: .loopback()) { _ in
      .respond(ServerResponse(status: status, headers: [HTTPField("Location", "http://x/")]))
    }
    let outcome = try await sink(server).deliver([Self.event()])
    #expect(outcome.map(Self.text) == [meaning])
    await server.stop()
  }

  private static func text(_ outcome: DeliveryOutcome) -> String {
    switch outcome {
    case .delivered(let status): "delivered \(status ?? 0)"
    case .gone: "gone"
    case .failed(let failure):
      "failed \(failure.status ?? 0) \(failure.isSinkWide ? "all" : "alone")"
    default: "\(outcome)"
    }
  }

  @Test(arguments: [
    ("120", 120), ("0", 0), ("999999999", 86_400), ("soon", -1),
    ("Thu, 19 Jan 2023 00:14:51 GMT", 60),
  ])
  func honoursRetryAfter(value: String, seconds: Int64) async throws {
    let server = try HTTPServer.start(on: .loopback()) { _ in
      .respond(ServerResponse(status: 429, headers: [HTTPField("Retry-After", value)]))
    }
    guard case .failed(let failure)? = try await sink(server).deliver([Self.event()]).first else {
      Issue.record("not failed")
      return
    }
    #expect(failure.retryAfterSeconds ?? -1 == seconds)
    await server.stop()
  }

  /// Of an answer that is larger than anybody reads the beginning is enough; none at all, and nobody there.
  @Test func aHostileReceiverIsAFailure() async throws {
    let huge = try HTTPServer.start(on: .loopback()) { _ in
      .respond(ServerResponse(status: 200, body: [UInt8](repeating: 0x78, count: 1 << 20)))
    }
    let large = try await sink(huge).deliver([Self.event()])
    #expect(large.map(Self.text) == ["delivered 200"])
    await huge.stop()
    let (silence, ending) = AsyncStream<Never>.makeStream()
    let silent = try HTTPServer.start(on: .loopback()) { _ in
      .later {
        for await _ in silence {}
        return .respond(ServerResponse(status: 200))
      }
    }
    let mute = try await sink(silent) { $0.timeoutSeconds = 0.2 }.deliver([Self.event()])
    #expect(mute.map(Self.text) == ["failed 0 all"])
    ending.finish()
    await silent.stop()
    let nobody = try await sink(nil).deliver([Self.event()])
    #expect(nobody.map(Self.text) == ["failed 0 all"])
  }

  /// The name is judged by what it stands for when the connection is made.
  @Test func refusesPrivateAddressesAfterTheNameWasLookedUp() async throws {
    let receiver = RelayReceiver()
    let server = try receiver.start()
    let client = HTTPClient(concurrentTransfers: 1, addresses: .public)
    for host in ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0"] {
      let request = HTTPRequest(
        .post([]), url: "http://\(host):\(server.port)/", timeoutSeconds: 60)
      do {
        _ = try await client.send(request)
        Issue.record("connected to \(host)")
      } catch {
        guard case .refusedAddress = error else {
          Issue.record("\(host): \(error)")
          continue
        }
      }
    }
    #expect(receiver.refused == 0)
    client.close()
    await server.stop()
  }

  @Test(arguments: [
    ("http://127.0.0.1:1/x", "loopback"), ("http://localhost/x", "loopback"),
    ("http://[::1]:1/x", "loopback"), ("https://127.0.0.1/x", "loopback"),
    ("https://relay.example/x", "public"), ("http://relay.example/x", "must begin with https://"),
    ("http://127.0.0.1.example/", "must begin with https://"),
    ("http://127.1/", "must begin with https://"), ("ftp://a/", "expected"),
    ("https:///x", "expected"),
    ("https://a@127.0.0.1/", "expected"), ("https://10.0.0.1/", "public"),
  ])
  func knowsWhereAWebhookMayBe(url: String, meaning: String) {
    switch WebhookAddress.parse(url, allowsPrivate: false) {
    case .success(let address): #expect("\(address.rule)".contains(meaning))
    case .failure(let flaw): #expect(flaw.description.hasPrefix(meaning))
    }
  }

  @Test(arguments: [
    ("abc", WebhookSecret.Flaw.prefix), ("whsec_*", .base64), ("whsec_AAAA", .length(3)),
    ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=", .base64),
  ])
  func refusesWhatIsNoSecret(text: String, flaw: WebhookSecret.Flaw) {
    guard case .failure(let found) = WebhookSecret.parse(text) else {
      Issue.record("taken")
      return
    }
    #expect(found == flaw)
    #expect(!found.description.contains(text))
  }

  /// IANA's special ranges, and addresses beside them: `IN HEX` and what may connect to it.
  @Test(arguments: [
    "08080808 public", "0a000001 private", "ac0fffff public", "ac100001 private",
    "ac1fffff private", "ac200000 public", "c0a80101 private", "a9fe0101 private",
    "a9fea9fe never", "a83f8110 never", "646464c8 never", "64400001 private", "64800001 public",
    "7f000001 never", "00000000 never", "e0000001 never", "ffffffff never", "c6120001 never",
    "c6140001 public", "cb007109 never",
    "20014860000000000000000000000001 public", "fd120000000000000000000000000001 private",
    "fe800000000000000000000000000001 private", "fd000ec2000000000000000000000254 never",
    "00000000000000000000000000000001 never", "00000000000000000000ffff0a000001 private",
    "00000000000000000000ffffa9fea9fe never", "20020a00000100000000000000000000 private",
    "0064ff9b00000000000000007f000001 never", "ff020000000000000000000000000000 never",
    "0102 never",
  ])
  func judgesAddresses(row: String) {
    let words = row.split(separator: " ")
    let address = stride(from: 0, to: words[0].count, by: 2).compactMap { offset in
      UInt8(words[0].dropFirst(offset).prefix(2), radix: 16)
    }
    let meaning = words[1]
    #expect((AddressRule.public.objection(to: address) == nil) == (meaning == "public"))
    #expect((AddressRule.publicOrPrivate.objection(to: address) == nil) == (meaning != "never"))
    #expect(AddressRule.any.objection(to: address) == nil)
  }
}
