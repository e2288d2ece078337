import Digests
import StrictJSON

extension SealRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("count", count)
    line.field("prev", prev)
    line.field("hash", hash)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var count: Int?
    var prev: Digest?
    var hash: Digest?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "count": count = try reader.readInteger()
      case "prev": prev = try reader.readDigest()
      case "hash": hash = try reader.readDigest()
      default: try reader.skipValue()
      }
    }
    self.init(
      count: try reader.require(count, "count"), prev: try reader.require(prev, "prev"),
      hash: try reader.require(hash, "hash"))
  }
}
