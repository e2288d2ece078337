import Foundation
import Foundations
import StrictJSON
import TestSupport
import Testing

@Suite(.offThePool) struct JSONNodeTests {
  private func isAccepted(_ text: [UInt8]) -> Bool { (try? JSONNode.parse(text)) != nil }

  @Test(arguments: [
    "null", "true", "[]", "{}", "0", "-0", "1e5", "-1.25E-3", #""a\u00e9\ud83d\ude00\n""#,
    " [ 1 , 2 ] ",
    #"{"a":{"b":[null]}}"#,
  ])
  func validTextsAreAccepted(text: String) throws {
    let node = try JSONNode.parse(Array(text.utf8))
    var writer = JSONWriter()
    writer.node(node)
    // Written again and parsed by another parser, the value is the same.
    let ours = try JSONSerialization.jsonObject(
      with: Data(writer.bytes), options: .fragmentsAllowed)
    let theirs = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    #expect((ours as? NSObject) == (theirs as? NSObject))
  }

  @Test(arguments: [
    "", " ", "nul", "tru", "[1,]", "[1 2]", "{,}", #"{"a":1,}"#, #"{"a" 1}"#, "{a:1}", "01", "-",
    "1.", ".5",
    "1e", "+1", "\"", "\"\\x\"", "\"\\u12\"", "\"\u{1}\"", "[1]]", "[1] x", "// c\n1", "NaN",
    #"{"a":1,"a":2}"#, #""\ud800""#,
  ])
  func invalidTextsAreRefused(text: String) {
    #expect(!isAccepted(Array(text.utf8)))
  }

  @Test func bytesThatAreNoUTF8AreRefused() {
    #expect(!isAccepted([0x22, 0xC3, 0x28, 0x22]))
    #expect(!isAccepted([0x22, 0xED, 0xA0, 0x80, 0x22]))
  }

  /// A byte that matters is seen at every place of a string, which is read eight bytes at a time.
  @Test(arguments: 0..<20) func noPlaceOfAStringIsOverlooked(before: Int) throws {
    for after in [0, 1, 7, 8, 20] {
      func text(_ bytes: [UInt8]) -> [UInt8] {
        let plain = { [UInt8](repeating: UInt8(ascii: "~"), count: $0) }
        return Array("\"".utf8) + plain(before) + bytes + plain(after) + Array("\"".utf8)
      }
      for byte in 0..<0x20 as Range<UInt8> {
        #expect(
          throws: JSONError(
            offset: before + 1, what: "a control character in a string must be escaped")
        ) { try JSONNode.parse(text([byte])) }
      }
      for bytes in [[0x80], [0xFF], [0xC3, 0x28]] as [[UInt8]] {
        #expect(throws: JSONError(offset: 1, what: "a string is not UTF-8")) {
          try JSONNode.parse(text(bytes))
        }
      }
      for (written, meant) in [("\\\"", "\""), ("\\\\", "\\"), ("é", "é"), ("\u{7F}", "\u{7F}")] {
        let plain = { String(repeating: "~", count: $0) }
        #expect(
          try JSONNode.parse(text(Array(written.utf8))).string
            == plain(before) + meant + plain(after))
      }
      #expect(throws: JSONError(offset: before + 2, what: "unexpected text after the value")) {
        try JSONNode.parse(text([UInt8(ascii: "\"")]))
      }
    }
  }

  @Test(arguments: [(32, true), (33, false)]) func nestingIsLimited(depth: Int, isFine: Bool) {
    let text =
      Array(repeating: UInt8(ascii: "["), count: depth)
      + Array(repeating: UInt8(ascii: "]"), count: depth)
    #expect(isAccepted(text) == isFine)
  }

  @Test func aHundredThousandBracketsAreRefusedAtTheLimit() {
    let text = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(throws: JSONError(offset: 33, what: "nested deeper than 32 levels")) {
      try JSONNode.parse(text)
    }
  }

  @Test func commentsAreWhiteSpaceWhereTheyAreAllowed() throws {
    let text = #"{"a": "// no /* comment", /* b */ "c": 1 // d"# + "\n}"
    let node = try JSONNode.parse(Array(text.utf8), allowingComments: true)
    #expect(node["a"]?.string == "// no /* comment")
    #expect(node["c"]?.int == 1)
    #expect(throws: JSONError.self) {
      try JSONNode.parse(Array("[1] /* open".utf8), allowingComments: true)
    }
  }

  /// Mutated texts are accepted by this parser only where Foundation's accepts them, and give the same value.
  @Test(arguments: 0..<40) func neverLooserThanFoundation(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed), 0x4a)
    let seeds = [
      #"{"live_start_at":"2026-11-20 23:59:59","live_end_at":null,"n":[1,-2.5e3,true]}"#,
      #"[{"subscribe_start_at":"a\u0041\\\"","x":{}},[],"",0]"#,
    ]
    for _ in 0..<500 {
      var text = Array(random.pick(seeds).utf8)
      for _ in 0...random.number(in: 0...2) {
        let place = Int(random.number(in: 0...Int64(text.count - 1)))
        switch random.number(in: 0...2) {
        case 0: text[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: text.remove(at: place)
        default: text.insert(random.pick(Array("{}[],:\"\\0e.-".utf8)), at: place)
        }
      }
      guard let node = try? JSONNode.parse(text) else { continue }
      var writer = JSONWriter()
      writer.node(node)
      let theirs = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
      let ours = try? JSONSerialization.jsonObject(
        with: Data(writer.bytes), options: .fragmentsAllowed)
      #expect(
        theirs != nil && (ours as? NSObject) == (theirs as? NSObject),
        "seed \(seed): \(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test(arguments: [
    ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("0", 0), ("-7", -7),
  ])
  func wholeNumbersReachTheEndsOfTheirRange(text: String, value: Int64) throws {
    #expect(try read(text) == value)
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775809", "1.0", "1e2", "01", "-", "\"1\"",
  ])
  func otherNumbersAreNoWholeNumbers(text: String) {
    #expect(throws: JSONError.self) { try read(text) }
  }

  private func read(_ text: String) throws -> Int64 {
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      let value = try reader.readInt()
      try reader.finish()
      return value
    }
  }
}
