import Foundations
import Glibc
import Operations
import Scheduling

/// Writes log lines on its own thread, so that logging never waits for a reader or a disk.
///
/// Drops lines while too much is waiting, and lines that cannot be written; it tries every later line again. Once one gets through, the log
/// says how many are missing.
final class LogWriter: Sendable {
  private struct State {
    var lines: ArraySlice<[UInt8]> = []
    var waitingBytes = 0
    var dropped = 0
    var isWriting = false
  }

  private static let limitBytes = 1 << 20
  private static let endMilliseconds = 2_000

  private let state = Lock(State())
  private let thread = BlockingThread(named: "rewards.log")
  private let sink: any ByteSink
  private let level: LogLevel
  private let layout: Log.Layout
  private let clock: any ServiceClock

  init(to sink: any ByteSink, level: LogLevel, layout: Log.Layout, clock: any ServiceClock) {
    self.sink = sink
    self.level = level
    self.layout = layout
    self.clock = clock
  }

  /// The log whose lines this writes.
  var log: Log { Log(level: level, layout: layout, clock: clock) { self.add($0) } }

  private func add(_ line: [UInt8]) {
    let isFirst = state.withLock { state in
      guard state.waitingBytes + line.count <= Self.limitBytes else {
        state.dropped += 1
        return false
      }
      state.lines.append(line)
      state.waitingBytes += line.count
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if isFirst { thread.start { self.writeAll() } }
  }

  /// Waits until everything is written, for at most two seconds if nobody reads it.
  func finish() async {
    try? await BlockingThread(named: "rewards.log-end").run { [state] in
      for _ in 0..<Self.endMilliseconds where state.withLock({ $0.isWriting }) {
        _ = poll(nil, 0, 1)
      }
    }
  }

  private func writeAll() {
    while let line = next() {
      guard sink.tryToWrite(line: line) else {
        state.withLock { $0.dropped += 1 }
        continue
      }
      let missing = state.withLock { state in
        defer { state.dropped = 0 }
        return state.dropped
      }
      if missing > 0 { log.warning("log lines are missing", ["count": .number(missing)]) }
    }
  }

  private func next() -> [UInt8]? {
    state.withLock { state in
      let line = state.lines.popFirst()
      state.waitingBytes -= line?.count ?? 0
      state.isWriting = line != nil
      return line
    }
  }
}
