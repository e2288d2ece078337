import CivilTime
import Foundations
import Operations
import StrictJSON
import TestSupport
import Testing

@Suite(.offThePool) struct LogTests {
  private let lines = Lock<[String]>([])

  private func log(_ level: LogLevel, _ layout: Log.Layout) -> Log {
    let lines = lines
    let clock = FixedClock(at: Instant(seconds: 0, nanoseconds: 250_000_000))
    return Log(level: level, layout: layout, clock: clock) { bytes in
      lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    }
  }

  @Test func dropsWhatMattersLess() {
    let log = log(.warning, .logfmt)
    log.debug("a")
    log.info("b")
    log.warning("c")
    log.error("d")
    #expect(
      lines.withLock { $0 } == [
        "at=1970-01-01T00:00:00.250Z level=warning event=c\n",
        "at=1970-01-01T00:00:00.250Z level=error event=d\n",
      ])
  }

  @Test(arguments: [
    ("plain", "plain"), ("", "\"\""), ("two words", "\"two words\""), ("a=b", "\"a=b\""),
    ("line\nbreak", "\"line\\nbreak\""), ("say \"hi\"", "\"say \\\"hi\\\"\""),
  ])
  func quotesWhatWouldConfuse(text: String, written: String) {
    log(.info, .logfmt).info("x", ["k": .text(text), "n": 3, "f": true])
    #expect(lines.withLock { $0 }.first?.hasSuffix(" event=x k=\(written) n=3 f=true\n") == true)
  }

  @Test func writesOneObjectALine() throws {
    log(.info, .json).info("a \"b\"\n", ["k": "v", "n": -3, "f": false])
    let line = try #require(lines.withLock { $0 }.first)
    #expect(line.hasSuffix("}\n"))
    let node = try JSONNode.parse(Array(line.utf8))
    #expect(node["event"]?.string == "a \"b\"\n")
    #expect(node["n"]?.int == -3)
  }
}
