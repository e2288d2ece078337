import Foundations
import Scheduling

/// A line on the terminal that shows the progress of long work; silent when errors go elsewhere.
///
/// Safe to call from any task, any number of times.
final class ProgressBar: Sendable {
  private let meter: Lock<ProgressMeter>
  private let sink: any ByteSink
  private let clock: any ServiceClock

  init(_ label: String, total: Int, sink: any ByteSink, clock: any ServiceClock) {
    meter = Lock(ProgressMeter(label, total: total, start: clock.now()))
    self.sink = sink
    self.clock = clock
  }

  /// Shows that `done` pieces are done.
  func update(done: Int) {
    guard sink.isTerminal, let line = meter.withLock({ $0.line(done: done, now: clock.now()) })
    else { return }
    sink.write("\r\(line)\u{1B}[K")
  }

  /// Shows that `done` of `total` pieces are done, for work whose size becomes known on the way.
  func update(done: Int, of total: Int) {
    meter.withLock { $0.total = total }
    update(done: done)
  }

  /// Removes the line.
  func finish() {
    if sink.isTerminal, meter.withLock({ $0.isDrawn }) { sink.write("\r\u{1B}[K") }
  }
}
