import CivilTime
import Foundation
import Foundations
import Sandbox
import Scheduling

/// A clock that another process moves on, in steps, for several processes at once: whoever sleeps is woken at the end of a step.
///
/// A step comes as eight bytes, the seconds since 1970 in the machine's order; a byte goes back when all work that became due is done.
struct SteppedClock: ServiceClock {
  /// How long a step is.
  private static let stepSeconds: Int64 = 30

  private let base: VirtualClock
  private let steps: FileHandle

  /// A clock that shows what comes first by the descriptor.
  init(from descriptor: Int32) throws {
    steps = FileHandle(fileDescriptor: descriptor)
    guard let begin = try Self.next(steps) else { throw CocoaError(.fileReadUnknown) }
    base = VirtualClock(at: begin, until: begin)
  }

  /// Moves on until nobody gives the time any more.
  func run() async throws {
    let thread = BlockingThread(named: "steps")
    try steps.write(contentsOf: [0])
    while let instant = try await thread.run({ [steps] in try Self.next(steps) }) {
      await base.run(until: instant)
      try steps.write(contentsOf: [0])
    }
  }

  private static func next(_ steps: FileHandle) throws -> Instant? {
    guard let bytes = try steps.read(upToCount: 8), bytes.count == 8 else { return nil }
    return bytes.withUnsafeBytes { Instant(seconds: $0.loadUnaligned(as: Int64.self)) }
  }

  func now() -> Instant { base.now() }
  func sinceBoot() -> Int64? { base.sinceBoot() }

  func sleep(until instant: Instant) async throws {
    // At least one step: who looks again and again at what other processes do must let them do it.
    let due = max(instant.seconds, base.now().seconds + 1) - 1
    let steps = due / Self.stepSeconds + 1
    try await base.sleep(until: Instant(seconds: steps * Self.stepSeconds))
  }

  func sleep(seconds: Double) async throws {
    try await sleep(until: base.now().adding(seconds: Int64(min(seconds, 9e9).rounded(.up))))
  }

  func beginWork() { base.beginWork() }
  func endWork() { base.endWork() }
}
