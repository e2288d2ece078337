internal import Foundations
internal import Ledger
internal import StrictJSON

/// Reads the first line of a ledger.
enum Genesis {
  static func read(
    _ segment: SegmentFile, _ fileSystem: any FileSystem
  ) throws -> GenesisRecord {
    let start = try fileSystem.reading(segment.path) { file in
      try fileSystem.bytes(of: file, in: 0..<RecordEncoder.lineLimitBytes)
    }
    let line = Array(start.prefix { $0 != UInt8(ascii: "\n") })
    let kind: Damage.Kind
    let what: String
    do throws(JSONError) {
      guard case .genesis(let genesis) = try RecordDecoder.decode(line).body else {
        throw JSONError(offset: 0, what: "the first line is not a genesis")
      }
      if genesis.format <= GenesisRecord.currentFormat { return genesis }
      kind = .newerFormat
      what =
        "the ledger has format \(genesis.format); this version reads \(GenesisRecord.currentFormat)"
    } catch {
      kind = .genesis
      what = error.what
    }
    let damage = Damage(kind: kind, segment: segment.name, line: 1, byte: 0, what: what)
    throw LedgerError(damage: [damage], in: segment.path)
  }
}
