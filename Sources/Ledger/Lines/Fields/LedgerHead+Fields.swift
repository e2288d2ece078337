import Digests
import StrictJSON

extension LedgerHead: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("seq", seq)
    line.field("hash", hash)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var seq: UInt64?
    var hash: Digest?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "seq": seq = try reader.readInteger()
      case "hash": hash = try reader.readDigest()
      default: try reader.skipValue()
      }
    }
    self.init(seq: try reader.require(seq, "seq"), hash: try reader.require(hash, "hash"))
  }
}
