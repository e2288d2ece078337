import CivilTime
import Foundations
import Sandbox
import Scheduling
import TestSupport
import Testing

@testable import Operations

@Suite(.offThePool) struct ServiceSwitchTests {
  /// Whoever touches the switch and then lets time pass finds that the service has seen it, wherever it was just then.
  @Test func noTouchIsMissedWhileTimePasses() async {
    let clock = VirtualClock(at: Instant(seconds: 0), until: Instant(seconds: 0))
    let signals = ServiceSwitch()
    let seen = Lock(0)
    let service = clock.start {
      while !signals.isStopping {
        if signals.takeReload() { seen.withLock { $0 += 1 } }
        await signals.nap { try await clock.sleep(seconds: 1e9) }
      }
    }
    for touch in 1...2_000 {
      signals.reload()
      await clock.run(until: Instant(seconds: Int64(touch)))
      #expect(seen.withLock { $0 } == touch)
    }
    signals.stop()
    await service.value
  }

  /// A service that waits for its clock reads nothing again meanwhile, and must not run in circles because somebody asks for it.
  @Test func aReloadThatIsLeftKeepsNobodyAwake() async {
    let clock = VirtualClock(at: Instant(seconds: 0), until: Instant(seconds: 0))
    let signals = ServiceSwitch()
    let naps = Lock(0)
    let service = clock.start {
      while !signals.isStopping, naps.withLock({ $0 }) < 1_000 {
        naps.withLock { $0 += 1 }
        await signals.nap(leavingReloads: true) { try await clock.sleep(seconds: 60) }
      }
    }
    await clock.run(until: Instant(seconds: 59))
    #expect(naps.withLock { $0 } == 1)
    signals.reload()
    await clock.run(until: Instant(seconds: 600))
    #expect((10...12).contains(naps.withLock { $0 }), "a nap a minute, and one that was cut short")
    #expect(signals.takeReload(), "it is not forgotten")
    signals.stop()
    await service.value
  }
}
