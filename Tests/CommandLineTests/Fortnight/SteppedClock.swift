import CivilTime
import Foundation
import Foundations
import Glibc
import Sandbox
import Scheduling

/// A clock that another process moves on, in steps, for several processes at once: whoever sleeps is woken at the end of a step.
///
/// A step comes as eight bytes, the seconds since 1970 in the machine's order; a byte goes back when all work that became due is done.
/// A step that comes while there is work in hand shows at once: a process that was stopped goes on in the present, as on any machine.
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
      // Of several steps that were missed, none is lived through: nobody can go back to the world of that time.
      base.jump(to: instant)
      await base.run(until: instant)
      try steps.write(contentsOf: [0])
    }
  }

  private static func next(_ steps: FileHandle) throws -> Instant? {
    guard let bytes = try steps.read(upToCount: 8), bytes.count == 8 else { return nil }
    return bytes.withUnsafeBytes { Instant(seconds: $0.loadUnaligned(as: Int64.self)) }
  }

  func now() -> Instant {
    catchUp()
    return base.now()
  }

  func sinceBoot() -> Int64? {
    catchUp()
    return base.sinceBoot()
  }

  /// Shows the last step that has come, which ``run()`` may not have read yet.
  private func catchUp() {
    var seconds = [Int64](repeating: 0, count: 64)
    let count = seconds.withUnsafeMutableBytes {
      recv(steps.fileDescriptor, $0.baseAddress, $0.count, Int32(MSG_PEEK | MSG_DONTWAIT))
    }
    guard count >= 8 else { return }
    base.jump(to: Instant(seconds: seconds[count / 8 - 1]))
  }

  func sleep(until instant: Instant) async throws {
    // At least one step: who looks again and again at what other processes do must let them do it.
    let due = max(instant.seconds, now().seconds + 1) - 1
    let steps = due / Self.stepSeconds + 1
    try await base.sleep(until: Instant(seconds: steps * Self.stepSeconds))
  }

  func sleep(seconds: Double) async throws {
    try await sleep(until: now().adding(seconds: Int64(min(seconds, 9e9).rounded(.up))))
  }

  func beginWork() { base.beginWork() }
  func endWork() { base.endWork() }
}
