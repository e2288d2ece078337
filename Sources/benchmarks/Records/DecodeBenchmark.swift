import CivilTime
import Foundation
import Ledger

/// Measures decoding lines to records and encoding them, on one core, compared with Foundation's parser, which makes dictionaries
/// of the same lines.
struct DecodeBenchmark: Benchmark {
  let name = "decode"
  let summary = "lines of the ledger to records and back, beside Foundation's JSON parser"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    var mix = RecordMix()
    let at = Instant(seconds: 1_795_176_000)
    let records = mix.next(effort.pick(quick: 100_000, full: 500_000)).enumerated().map {
      Record(seq: UInt64($0.offset + 1), at: at, body: $0.element)
    }
    let lines = try records.map { record in
      var encoder = RecordEncoder()
      var line: [UInt8] = []
      try encoder.append(record, to: &line)
      return line
    }
    // The parser is slow, and its speed does not depend on the number of lines.
    let few = lines.prefix(lines.count / 10).map { Data($0) }
    var decoding: [Double] = []
    var encoding: [Double] = []
    var peer: [Double] = []
    for round in 1...(effort.rounds * 2) {
      decoding.append(try perSecond(lines.count) { try decode(lines) })
      encoding.append(try perSecond(lines.count) { try encode(records, lines) })
      peer.append(try perSecond(few.count) { try parse(few) })
      note(
        "round \(round): decoded \(Figure.count(decoding.last ?? 0)) a second, "
          + "encoded \(Figure.count(encoding.last ?? 0)), "
          + "Foundation \(Figure.count(peer.last ?? 0))")
    }
    return [
      .compared(
        "a line to a record", "\(Figure.count(decoding.median)) records/s",
        peer: "JSONSerialization: \(Figure.count(peer.median)) dictionaries/s",
        ratio: decoding.median / peer.median, atLeast: 5, askedText: "5"),
      .compared(
        "a record to a line", "\(Figure.count(encoding.median)) records/s",
        peer: "a line to a record", ratio: encoding.median / decoding.median, atLeast: 1,
        askedText: "1"),
    ]
  }

  private func perSecond(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    let watch = Stopwatch()
    try body()
    return Double(count) / watch.elapsed.processor
  }

  private func decode(_ lines: [[UInt8]]) throws {
    var sum: UInt64 = 0
    for line in lines { sum += try RecordDecoder.decode(line).seq }
    let count = UInt64(lines.count)
    guard sum == count * (count + 1) / 2 else { throw PeerFailure(what: "a record is missing") }
  }

  private func encode(_ records: [Record], _ lines: [[UInt8]]) throws {
    var encoder = RecordEncoder()
    var line: [UInt8] = []
    for (record, expected) in zip(records, lines) {
      line.removeAll(keepingCapacity: true)
      try encoder.append(record, to: &line)
      guard line.count == expected.count else { throw PeerFailure(what: "another line") }
    }
  }

  private func parse(_ lines: [Data]) throws {
    for line in lines {
      guard try JSONSerialization.jsonObject(with: line) is [String: Any] else {
        throw PeerFailure(what: "a line is no object")
      }
    }
  }
}
