import HTTPServer
import Sandbox
import TestSupport
import Testing

/// Whether the relay's counterpart remembers what it took, and refuses when told to.
@Suite(.offThePool) struct RelayReceiverTests {
  private func event(_ id: String, _ body: String = "1") -> [UInt8] {
    Array(#"{"specversion":"1.0","id":"\#(id)","data":\#(body)}"#.utf8)
  }

  @Test func remembersEventsById() async throws {
    let receiver = RelayReceiver()
    let server = try receiver.start()
    for (id, body) in [("b", "1"), ("a", "2"), ("b", "3")] {
      let request = RawClient.request(
        "POST", "/events", headers: ["webhook-id: \(id)"], body: event(id, body))
      #expect(try await RawClient.exchange(server.address, request).status == 200)
    }
    await server.stop()
    #expect(receiver.events.map(\.id) == ["b", "a"])
    #expect(receiver.event("b")?.deliveries == 2)
    #expect(receiver.event("b")?.body == event("b", "1"))
    #expect(receiver.event("a")?.headers.contains(HTTPField("webhook-id", "a")) == true)
    #expect(receiver.event("c") == nil)
    #expect(receiver.refused == 0)
  }

  @Test func refusesWhatIsNoEvent() {
    let receiver = RelayReceiver()
    for (method, body) in [("POST", "{}"), ("POST", "x"), ("POST", #"{"id":1}"#), ("GET", "")] {
      let answer = receiver.answer(
        ServerRequest(method: method, path: "/", body: Array(body.utf8)))
      #expect(answer.response?.status == 400)
    }
    #expect(receiver.events.isEmpty)
    #expect(receiver.refused == 4)
  }

  @Test func failsAsOftenAsItIsTold() {
    let receiver = RelayReceiver()
    receiver.failNext(2, with: .respond(ServerResponse(status: 503)))
    let request = ServerRequest(method: "POST", path: "/", body: event("a"))
    let statuses = (0..<3).map { _ in receiver.answer(request).response?.status }
    #expect(statuses == [503, 503, 200])
    #expect(receiver.event("a")?.deliveries == 1)
    #expect(receiver.refused == 2)
  }
}
