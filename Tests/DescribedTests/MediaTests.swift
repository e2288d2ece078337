import CivilTime
import Described
import Foundations
import StrictJSON
import TestSupport
import Testing

/// One description, and every medium gives back what it was given.
@Suite(.offThePool) struct MediaTests {
  private static func samples(seed: UInt64) -> [Sample] {
    var random = SplitMix64(seed: seed)
    return (0..<200).map { _ in Sample.random(using: &random) }
  }

  private static func binary(_ sample: Sample) -> [UInt8] {
    var writer = BinaryWriter()
    _ = writer.object(sample)
    return writer.bytes
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func jsonGivesItBack(seed: UInt64) throws {
    for sample in Self.samples(seed: seed) {
      let text = sample.json
      #expect(try Sample(json: text) == sample)
      #expect(try JSONNode.parse(text).members?.isEmpty == false)
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func bytesGiveItBack(seed: UInt64) throws {
    for sample in Self.samples(seed: seed) {
      let bytes = Self.binary(sample)
      try bytes.withUnsafeBufferPointer { bytes in
        var reader = BinaryReader(bytes)
        let read: Sample = try reader.object(nil)
        #expect(read == sample && reader.isAtEnd)
      }
    }
  }

  @Test func fieldsStandInTheirOrderAndMayBeLeftOut() throws {
    let inner = Sample.Inner(from: .earliest, count: -4)
    #expect(
      String(decoding: inner.json, as: UTF8.self) == #"{"from":"0001-01-01T00:00:00Z","count":-4}"#)
    var (isLeftOut, isThere) = (false, false)
    for sample in Self.samples(seed: 9) {
      let names = try #require(JSONNode.parse(sample.json).members).map(\.key)
      #expect(names.contains("optional") == (sample.optional != nil))
      #expect(names.contains("usual") == (sample.usual != 5))
      #expect(names.contains("nullable"))
      isLeftOut = isLeftOut || !names.contains("optional")
      isThere = isThere || names.contains("optional")
      let known = Sample.described.names.map { "\($0)" }
      #expect(names == known.filter { names.contains($0) })
    }
    #expect(isLeftOut && isThere)
  }

  @Test func theShapeIsWhatIsWritten() throws {
    let fields = Sample.described.fields
    #expect(fields.filter(\.isOptional).map(\.name) == ["optional", "usual"])
    let shapes = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.shape) })
    let inner = JSONShape.object([
      .init("from", .text(.instant)), .init("count", .integer(nil)),
    ])
    #expect(shapes["inner"] == inner)
    #expect(shapes["inners"] == .list(inner, count: nil))
    #expect(shapes["table"] == .map(.integer(nil)))
    #expect(shapes["set"] == .list(.text(.text), count: nil))
    #expect(shapes["colour"] == .words(["red", "green"]))
    #expect(shapes["fruit"] == .words(["apple", "pear"]))
    #expect(shapes["nullable"] == .text(.text).orNull)
    #expect(shapes["digest"] == .text(.hash) && shapes["document"] == .map(.any))
  }

  @Test(arguments: [
    (#""count":"x""#, "count"), (#""count":2147483648"#, "out of range"),
    (#""count":null"#, "number"),
    (#""c":1"#, "\"count\" is missing"), (#""count":1,"count":1"#, "twice"),
  ])
  func whatIsNoSuchObjectIsRefused(member: String, cause: String) {
    let text = #"{"from":"2026-11-20T08:00:00Z",\#(member)}"#
    let error = #expect(throws: JSONError.self) { try Sample.Inner(json: Array(text.utf8)) }
    #expect(error.map { $0.offset > 0 && $0.offset <= text.utf8.count } == true)
    #expect(cause == "count" || error?.what.contains(cause) == true, "\(String(describing: error))")
  }

  @Test func aTextBehindTheObjectIsRefused() {
    let text = Sample.Inner(from: .earliest, count: 1).json
    #expect(throws: JSONError.self) { try Sample.Inner(json: text + [UInt8(ascii: "}")]) }
  }

  /// Whatever a disk has made of bytes: an error or a value, and no trap.
  @Test(arguments: 1...3 as ClosedRange<UInt64>) func damagedBytesAreReadOrRefused(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var refused = 0
    for sample in Self.samples(seed: seed).prefix(40) {
      let whole = Self.binary(sample)
      for _ in 0..<50 {
        var bytes = whole
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
        if Bool.random(using: &random) {
          bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
        }
        bytes.withUnsafeBufferPointer { bytes in
          var reader = BinaryReader(bytes)
          if (try? reader.object(nil) as Sample) == nil { refused += 1 }
        }
      }
    }
    #expect(refused > 500)
  }

  @Test func aLineGrowsUpToItsLimit() {
    let long = String(repeating: "x", count: 300_000)
    var writer = LineWriter()
    _ = writer.text(long)
    #expect(writer.bytes.count == 300_002 && writer.problem == nil)
    var bounded = LineWriter(limitBytes: 100)
    _ = bounded.text(String(repeating: "x", count: 98))
    #expect(bounded.problem == nil && bounded.bytes.count == 100)
    bounded.raw(",")
    #expect(bounded.problem?.contains("100 bytes") == true && bounded.bytes.count == 100)
    bounded.clear()
    #expect(bounded.problem == nil && bounded.bytes.isEmpty)
  }
}
