internal import CivilTime
internal import Ledger

/// The lines of one caller's records without their frames: made on the caller's thread, so that the writer need not.
struct EncodedBodies: Sendable {
  private let bytes: [UInt8]
  /// Where each record's part ends.
  private let ends: [Int]

  /// Encodes `bodies`, or refuses them when one is too long or has no text, or when all are more than `limitBytes`.
  init(_ bodies: [RecordBody], limitBytes: Int) throws(LedgerError) {
    var encoder = RecordEncoder()
    var bytes: [UInt8] = []
    var ends: [Int] = []
    ends.reserveCapacity(bodies.count)
    do throws(RecordError) {
      for body in bodies {
        try encoder.appendBody(body, to: &bytes)
        ends.append(bytes.count)
      }
    } catch {
      throw Self.refusal(error.description)
    }
    self.bytes = bytes
    self.ends = ends
    if sizeBytes + SealBuilder.limitBytes > limitBytes {
      throw Self.refusal(
        "\(bodies.count) records at once are more than a segment holds (\(limitBytes) bytes)")
    }
  }

  /// How long the lines are at most.
  var sizeBytes: Int { bytes.count + ends.count * RecordEncoder.frameLimitBytes }

  /// Appends the lines, numbered on from `seq`, recorded at `at`.
  func append(
    after seq: UInt64, at: Instant, to lines: inout [UInt8], _ encoder: inout RecordEncoder
  ) {
    var start = 0
    for (index, end) in ends.enumerated() {
      encoder.appendFrame(seq: seq + UInt64(index) + 1, at: at, to: &lines)
      lines.append(contentsOf: bytes[start..<end])
      start = end
    }
  }

  private static func refusal(_ cause: String) -> LedgerError {
    LedgerError(
      .refused, place: "ledger", cause: cause, remedy: "nothing was written; divide or shorten it")
  }
}
