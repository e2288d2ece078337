import Foundations
import HTTPServer
import TestSupport
import Testing

/// How a server ends while it has work in hand.
@Suite(.offThePool) struct StoppingTests {
  /// A door that opens once; whoever comes before waits.
  private final class Gate: Sendable {
    private struct State {
      var isOpen = false
      var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Lock(State())

    func pass() async {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiting.append(continuation) }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Counts up, and opens a gate at a number.
  private final class AsyncMutex: Sendable {
    let gate = Gate()
    private let left: Lock<Int>

    init(_ count: Int) { left = Lock(count) }

    func enter() {
      let left = left.withLock { left in
        left -= 1
        return left
      }
      if left == 0 { gate.open() }
    }
  }

  @Test func waitingConnectionsAreCutAtTheEndOfTheGrace() async throws {
    let arrived = AsyncMutex(60)
    let server = try HTTPServer.start(on: .loopback()) { request in
      arrived.enter()
      if request.path == "/delay" { return .delay(seconds: 3_600, .cut) }
      return .later {
        try? await Task.sleep(for: .seconds(3_600))
        return .respond(.text(Task.isCancelled ? "cancelled" : "slept"))
      }
    }
    let address = server.address
    await withTaskGroup { group in
      for index in 0..<60 {
        group.addTask {
          let path = index % 2 == 0 ? "/delay" : "/later"
          return (try? await RawClient.get(address, path).status) ?? -1
        }
      }
      await arrived.gate.pass()
      await withTaskGroup { stops in
        for _ in 0..<8 { stops.addTask { await server.stop(graceSeconds: 0.01) } }
      }
      for await status in group { #expect(status == 0) }
    }
  }

  @Test func whatIsInHandEndsWithinTheGrace() async throws {
    let arrived = AsyncMutex(10)
    let gate = Gate()
    let server = try HTTPServer.start(on: .loopback()) { _ in
      arrived.enter()
      return .later {
        await gate.pass()
        return .respond(.text("done"))
      }
    }
    let address = server.address
    await withTaskGroup { group in
      for _ in 0..<10 {
        group.addTask { try? await RawClient.get(address, "/").text }
      }
      await arrived.gate.pass()
      async let stopped: Void = server.stop(graceSeconds: 3_600)
      gate.open()
      await stopped
      for await text in group { #expect(text == "done") }
    }
  }

  @Test func answersRaceTheStopWithoutHarm() async throws {
    for round in 0..<20 {
      let server = try HTTPServer.start(on: .loopback()) { _ in
        .later { .delay(seconds: 0.000_1 * Double(round), .respond(.text("ok"))) }
      }
      let address = server.address
      await withTaskGroup { group in
        for _ in 0..<16 {
          group.addTask { (try? await RawClient.get(address, "/").status) ?? 0 }
        }
        await server.stop(graceSeconds: 0)
        for await status in group { #expect([0, 200, 503].contains(status)) }
      }
    }
  }
}
