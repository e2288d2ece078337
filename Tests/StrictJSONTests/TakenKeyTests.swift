import StrictJSON
import TestSupport
import Testing

/// Names of members that are taken as they were written.
@Suite(.offThePool) struct TakenKeyTests {
  @Test(arguments: [
    (#"{"at":1}"#, true), (#"{"at":1,"b":2}"#, true), (#"{"at":"#, true), (#"{"att":1}"#, false),
    (#"{"a":1}"#, false), (#"{"AT":1}"#, false), (#"{ "at":1}"#, false), (#"{"at" :1}"#, false),
    (#"{"\u0061t":1}"#, false), (#"{"at""#, false), (#"{"at"#, false), ("{", false), ("{}", false),
    (#"{,"at":1}"#, false),
  ])
  func theFirstMember(text: String, isTaken: Bool) throws {
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      try reader.beginObject()
      let taken = reader.consumeKey("at", isFirst: true)
      #expect(taken == isTaken)
      // What is not taken is still there, for whoever reads names in any shape.
      #expect(reader.offset == (isTaken ? 6 : 1))
    }
  }

  @Test(arguments: [
    (#"{"x":0,"at":1}"#, true), (#"{"x":0,"at":"#, true), (#"{"x":0, "at":1}"#, false),
    (#"{"x":0 ,"at":1}"#, false), (#"{"x":0"at":1}"#, false), (#"{"x":0,"bt":1}"#, false),
    (#"{"x":0}"#, false), (#"{"x":0,"#, false),
  ])
  func anotherMember(text: String, isTaken: Bool) {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes, insideObjectAt: 6)
      let taken = reader.consumeKey("at", isFirst: false)
      #expect(taken == isTaken)
      #expect(reader.offset == (isTaken ? 12 : 6))
    }
  }

  @Test(arguments: [
    (#"{"x":0}"#, true), (#"{"x":0}}"#, true), (#"{"x":0 }"#, false), (#"{"x":0,"y":1}"#, false),
    (#"{"x":0"#, false), (#"{"x":0]"#, false),
  ])
  func theEnd(text: String, isTaken: Bool) {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes, insideObjectAt: 6)
      let taken = reader.consumeEnd()
      #expect(taken == isTaken)
      #expect(reader.offset == (isTaken ? 7 : 6))
    }
  }
}
