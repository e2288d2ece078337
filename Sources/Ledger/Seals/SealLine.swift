import Described
import Digests
import StrictJSON

/// A seal's line: its fields, and how many of its bytes its own hash covers.
struct SealLine {
  let count: Int
  let prev: Digest
  let hash: Digest
  /// The number of bytes before `,"hash"`.
  let coveredBytes: Int

  /// Reads a line of type `seal` that begins with `frame`, given without its `\n`; nil unless the hash is its last member.
  init?(_ line: UnsafeBufferPointer<UInt8>, _ frame: LineFrame) {
    // Every seal ends with ,"hash":"<64 hex>"}, because nothing may be where no hash covers it.
    let coveredBytes = line.count - 75
    guard coveredBytes > 0, line.matches(",\"hash\":\"", at: coveredBytes),
      line.matches("\"}", at: line.count - 2),
      !Self.contains(",\"hash\"", in: UnsafeBufferPointer(rebasing: line[..<coveredBytes])),
      let hash = Digest(
        hex: UnsafeBufferPointer(rebasing: line[(coveredBytes + 9)..<line.count - 2]))
    else { return nil }
    var reader = JSONReader(line)
    guard let record: SealRecord = try? reader.readObject(behindFrame: frame.rest(of: line)),
      (try? reader.finish()) != nil, record.hash == hash
    else { return nil }
    count = record.count
    prev = record.prev
    self.hash = hash
    self.coveredBytes = coveredBytes
  }

  private static func contains(
    _ text: StaticString, in line: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var start = 0
    while let comma = line[start...].firstIndex(of: UInt8(ascii: ",")) {
      if line.matches(text, at: comma) { return true }
      start = comma + 1
    }
    return false
  }
}

/// Recognises seals by their form, for readers that start in the middle of a ledger.
public struct SealFinder {
  private var scanner = LineScanner()

  /// Creates a finder. Not thread-safe.
  public init() {}

  /// Returns the chain state that `line`, given without its `\n`, claims if it has the form of a seal; otherwise nil.
  ///
  /// Whether the claim holds is for ``ChainChecker`` to check.
  public mutating func state(claimedBy line: UnsafeBufferPointer<UInt8>) -> ChainState? {
    guard line.count < RecordEncoder.lineLimitBytes, let frame = scanner.scan(line),
      frame.type == .seal, let seal = SealLine(line, frame)
    else { return nil }
    return ChainState(seq: frame.seq, at: frame.at, hash: seal.hash)
  }
}
