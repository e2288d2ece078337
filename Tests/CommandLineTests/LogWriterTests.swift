import CivilTime
import Foundations
import Glibc
import Operations
import TestSupport
import Testing

@testable import rewards

/// Nobody who logs waits for whoever reads, and what is lost is told.
@Suite(.offThePool) struct LogWriterTests {
  /// Takes lines as long as it may; a disk that is full now and then.
  private final class MoodySink: ByteSink {
    let isTerminal = false
    let isFull = Lock(false)
    private let lines = Lock<[String]>([])

    var text: [String] { lines.withLock { $0 } }

    func write(_ bytes: [UInt8]) { _ = tryToWrite(line: bytes) }

    func tryToWrite(line: [UInt8]) -> Bool {
      if isFull.withLock({ $0 }) { return false }
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
      return true
    }
  }

  private func writer(to sink: any ByteSink) -> LogWriter {
    LogWriter(
      to: sink, level: .info, layout: .logfmt, clock: FixedClock(at: Instant(seconds: 0)))
  }

  @Test func goesOnWhenTheDiskHasRoomAgain() async {
    let sink = MoodySink()
    let writer = writer(to: sink)
    writer.log.info("one")
    await writer.finish()
    sink.isFull.withLock { $0 = true }
    writer.log.info("two")
    writer.log.info("three")
    await writer.finish()
    sink.isFull.withLock { $0 = false }
    writer.log.info("four")
    await writer.finish()
    #expect(sink.text.map { $0.contains("one") || $0.contains("four") } == [true, true, false])
    #expect(sink.text.last?.contains("event=\"log lines are missing\" count=2") == true)
  }

  /// A pipe that nobody reads takes 64 KiB; the rest waits, up to a limit, and then is dropped.
  @Test func whoLogsDoesNotWaitForAReader() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let writer = writer(to: DescriptorSink(descriptor: ends[1]))
    let long = String(repeating: "x", count: 1_900)
    for _ in 0..<1_000 { writer.log.info(long) }
    // All of it is read once somebody reads.
    let end = ends[0]
    let reader = Task {
      var count = 0
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while !String(decoding: text.suffix(200), as: UTF8.self).contains("are missing") {
        count = read(end, &buffer, buffer.count)
        guard count > 0 else { break }
        text += buffer[..<count]
      }
      return text
    }
    let text = String(decoding: await reader.value, as: UTF8.self)
    let lines = text.split(separator: "\n")
    let missing = try #require(lines.last?.split(separator: "=").last.flatMap { Int($0) })
    #expect(missing > 0 && lines.count - 1 + missing == 1_000)
    close(ends[0])
    close(ends[1])
  }

  /// Where a pipe does not block, a whole result arrives all the same.
  @Test func outputWaitsForRoom() async {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    let end = ends[1]
    let sink = DescriptorSink(descriptor: end)
    let all = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
    let written = Lock(false)
    ownThread(named: "writer") {
      sink.write(all)
      written.withLock { $0 = true }
      close(end)
    }
    var count = 0
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let got = read(ends[0], &buffer, buffer.count)
      if got <= 0 { break }
      count += got
    }
    #expect(count == all.count && sink.failure == nil && written.withLock { $0 })
    close(ends[0])
  }
}
