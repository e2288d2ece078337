import Digests
import StrictJSON

/// The chain checked a second time, from the text of the format alone: no encoder, scanner or checker of the product.
enum PlainChainCheck {
  struct Broken: Error {
    let line: Int
    let what: String
  }

  /// Checks segments in order; throws at the first thing that is wrong. Returns how many lines there are.
  @discardableResult
  static func check(_ segments: [[UInt8]]) throws -> Int {
    var seq: Int64 = 0
    var prev = [UInt8](repeating: 0, count: 32)
    var batch: [[UInt8]] = []
    var keys: Set<String> = []
    for segment in segments {
      for piece in segment.split(separator: 0x0A) {
        let line = Array(piece) + [0x0A]
        seq += 1
        let members = try members(Array(piece))
        guard members["seq"] == "\(seq)" else { throw Broken(line: Int(seq), what: "seq") }
        if members["type"] == "seal" {
          let text = String(decoding: line, as: UTF8.self)
          guard let range = text.firstRange(of: ",\"hash\"") else {
            throw Broken(line: Int(seq), what: "no hash")
          }
          let covered = Array(text[..<range.lowerBound].utf8)
          let digest = SHA256.digest(of: prev + batch.flatMap { $0 } + covered)
          let prevText = Digest(hex: members["prev"] ?? "")?.bytes
          guard members["count"] == "\(batch.count)", prevText == prev,
            members["hash"] == digest.description
          else { throw Broken(line: Int(seq), what: "the seal does not match") }
          prev = digest.bytes
          batch = []
        } else {
          batch.append(line)
          if members["type"] == "grant", !keys.insert(members["key"] ?? "").inserted {
            throw Broken(line: Int(seq), what: "key twice")
          }
        }
      }
      guard batch.isEmpty, segment.last == 0x0A else {
        throw Broken(line: Int(seq), what: "unsealed")
      }
    }
    return Int(seq)
  }

  private static func members(_ line: [UInt8]) throws -> [String: String] {
    guard case .object(let members) = try JSONNode.parse(line).content else {
      throw Broken(line: 0, what: "no object")
    }
    var texts: [String: String] = [:]
    for member in members {
      switch member.value.content {
      case .string(let text), .number(let text): texts[member.key] = text
      default: break
      }
    }
    return texts
  }
}
