import CivilTime
import Digests
import Evidence
import Ledger
import RewardRules
import StrictJSON
import TestSupport
import Testing

/// Lines as the encoder writes them and the decoder reads them.
@Suite(.offThePool) struct LineTests {
  private func line(_ body: RecordBody, seq: UInt64 = 7) throws -> String {
    var encoder = RecordEncoder()
    var bytes: [UInt8] = []
    try encoder.append(Record(seq: seq, at: SampleRecords.instant, body: body), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func grantHasItsFieldsInTheDocumentedOrder() throws {
    var reward = Reward()
    reward.points = 25
    reward.baseExp = 25
    reward.multiplier = 2
    reward.exp = 50
    let day = try #require(Day(year: 2026, month: 11, day: 20))
    let grant = GrantRecord(
      key: "ann/2026-11-20/login", user: "ann", day: day, mission: "login",
      effective: SampleRecords.instant, rules: "2026-11", reward: reward, evidence: [3, 5],
      streak: StreakMark(length: 8, cycleDay: 1), cause: "live")
    #expect(
      try line(.grant(grant)) == """
        {"seq":7,"at":"2026-11-20T14:59:59.250Z","type":"grant","key":"ann/2026-11-20/login",\
        "user":"ann","day":"2026-11-20","mission":"login","effective":"2026-11-20T14:59:59.25Z",\
        "rules":"2026-11","points":25,"expBase":25,"multiplier":2,"exp":50,"coins":0,"items":[],\
        "booster":null,"evidence":[3,5],"streak":{"length":8,"cycleDay":1},"cause":"live"}

        """)
  }

  @Test(arguments: RecordType.allCases)
  func decodingGivesBackWhatWasEncoded(_ type: RecordType) throws {
    var samples = SampleRecords(seed: 20_261_120)
    var encoder = RecordEncoder()
    for round in 0..<300 {
      let body = samples.body(type)
      let record = Record(
        seq: UInt64(round) + 1, at: samples.instant().truncatedToMilliseconds, body: body)
      var bytes: [UInt8] = []
      try encoder.append(record, to: &bytes)
      #expect(bytes.last == 0x0A && bytes.dropLast().allSatisfy { $0 >= 0x20 })
      #expect(try RecordDecoder.decode(bytes) == record)
    }
  }

  @Test func unknownFieldsAndOtherOrdersAreRead() throws {
    let text = """
      {"new":{"a":[1]},"type":"level","user":"ann","at":"2026-11-20T14:59:59.250Z","seq":7,\
      "level":2,"effective":"2026-11-20T14:59:59.25Z","more":null}
      """
    let level = LevelRecord(user: "ann", level: 2, effective: SampleRecords.instant)
    let record = try RecordDecoder.decode(Array(text.utf8))
    #expect(record == Record(seq: 7, at: SampleRecords.instant, body: .level(level)))
  }

  /// The fast reader knows one way in which a line stands; every other one means the same.
  @Test(arguments: RecordType.allCases)
  func aLineMeansTheSameInEveryOrder(_ type: RecordType) throws {
    var samples = SampleRecords(seed: 13)
    var random = SplitMix(state: 14)
    for _ in 0..<40 {
      let text = try line(samples.body(type))
      let record = try RecordDecoder.decode(Array(text.utf8))
      let members = try Self.members(text)
      for place in members.indices {
        for other in [
          members[..<place] + ["\"new\":[{}]"] + members[place...],
          members[(place + 1)...] + members[...place],
        ] {
          let moved = "{\(other.joined(separator: ","))}"
          #expect(try RecordDecoder.decode(Array(moved.utf8)) == record, "\(moved)")
        }
        var spaced = members
        spaced[place] = " " + spaced[place].replacing("\":", with: "\" :", maxReplacements: 1) + " "
        let wide = "{\(spaced.joined(separator: ","))}"
        #expect(try RecordDecoder.decode(Array(wide.utf8)) == record, "\(wide)")
      }
      let shuffled = "{\(members.shuffled(using: &random).joined(separator: ","))}"
      #expect(try RecordDecoder.decode(Array(shuffled.utf8)) == record, "\(shuffled)")
    }
  }

  /// The members of a line as they stand.
  private static func members(_ line: String) throws -> [String] {
    var members: [String] = []
    try Array(line.utf8).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      try reader.readObject { (reader, name) throws(JSONError) in
        let start = name.offset - 1
        try reader.skipValue()
        members.append(String(decoding: bytes[start..<reader.offset], as: UTF8.self))
      }
    }
    return members
  }

  @Test(arguments: [
    (#"{"seq":7,"at":"2026-11-20T14:59:59.250Z","type":"level","user":"ann","level":2}"#, 79),
    (#"{"seq":7,"at":"2026-11-20T14:59:59.250Z","type":"level","user":5}"#, 63),
    (#"{"seq":7,"at":"2026-11-31T14:59:59.250Z","type":"level"}"#, 15),
    (#"{"seq":7,"type":"level"}"#, 24),
    (#"{"seq":-7,"at":"2026-11-20T14:59:59.250Z","type":"level"}"#, 7),
    (#"{"seq":7,"at":"2026-11-20T14:59:59.250Z","type":"feast"}"#, 0),
    (#"{"seq":7,"at":"2026-11-20T24:00:00.000Z","type":"run"}"#, 15),
    (#"{"seq":7,"at":"2026-11-20T14:59:59.250+00:00","type":"run"}"#, 15),
    ("", 0),
  ])
  func whatIsNoRecordIsRefusedWithItsPlace(_ text: String, _ offset: Int) {
    let error = #expect(throws: JSONError.self) { try RecordDecoder.decode(Array(text.utf8)) }
    #expect(error?.offset == offset)
  }

  /// The frame of a line is found by its bytes and read by nobody else: nothing may pass for what it is not.
  @Test func noForeignByteInAFrameIsPassedOver() throws {
    for type in [RecordType.grant, .run, .evidence, .level] {
      var samples = SampleRecords(seed: 5)
      let bytes = Array(try line(samples.body(type)).utf8)
      let start = try #require(bytes.firstRange(of: Array(#""at":""#.utf8))).upperBound
      let name = try #require(bytes.firstRange(of: Array(#""type":""#.utf8))).upperBound
      let end = name + 10
      for byte in [0x00, 0x01, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xFF] as [UInt8] {
        for place in 0..<end where bytes[place] != byte {
          var replaced = bytes
          replaced[place] = byte
          #expect(throws: JSONError.self, "\(byte) at \(place)") {
            try RecordDecoder.decode(replaced)
          }
          var inserted = bytes
          inserted.insert(byte, at: place)
          #expect(throws: JSONError.self, "\(byte) before \(place)") {
            try RecordDecoder.decode(inserted)
          }
        }
      }
      for count in 1...24 {
        var emptied = bytes
        for place in start..<start + count { emptied[place] = 0 }
        #expect(throws: JSONError.self) { try RecordDecoder.decode(emptied) }
        var padded = bytes
        padded.insert(contentsOf: repeatElement(0, count: count), at: name)
        #expect(throws: JSONError.self) { try RecordDecoder.decode(padded) }
      }
    }
  }

  /// Readers by position and readers by name would choose another one of two.
  @Test(arguments: RecordType.allCases)
  func aFieldThatStandsTwiceIsRefused(_ type: RecordType) throws {
    var samples = SampleRecords(seed: 11)
    let text = try line(samples.body(type)).replacing("\n", with: "")
    let members = try #require(try JSONNode.parse(Array(text.utf8)).members)
    let frame = #""type":"\#(type)""#
    for name in members.map(\.key) {
      let again = #""\#(name)":0"#
      for twice in [
        "{\(again)," + text.dropFirst(), text.dropLast() + ",\(again)}",
        text.replacing(frame, with: "\(frame),\(again)"),
      ] {
        #expect(throws: JSONError.self, "\(name)") { try RecordDecoder.decode(Array(twice.utf8)) }
      }
    }
  }

  /// What is about nobody is read by everybody, whatever else it says.
  @Test(arguments: RecordType.allCases) func onlyLinesAboutAUserNameOne(_ type: RecordType) throws {
    var samples = SampleRecords(seed: 12)
    let body = samples.body(type)
    let stray = try line(body).replacing(
      #""type":"\#(type)""#, with: #""type":"\#(type)","user":"x""#)
    let bytes = Array(stray.utf8)
    let user = bytes.withUnsafeBufferPointer { bytes in
      LineOutline(bytes).flatMap { $0.user.map { String(decoding: bytes[$0], as: UTF8.self) } }
    }
    let isAboutNobody =
      [.genesis, .rules, .close, .excuse, .run, .operator, .seal].contains(type)
    #expect(user == (isAboutNobody ? nil : "x"))
    #expect(!isAboutNobody || body.user == nil)
  }

  @Test func everyCutOfALineIsRefused() throws {
    var samples = SampleRecords(seed: 3)
    for type in RecordType.allCases {
      let bytes = Array(try line(samples.body(type)).utf8)
      for count in 0..<bytes.count - 2 {
        #expect(throws: JSONError.self) { try RecordDecoder.decode(Array(bytes[..<count])) }
      }
    }
  }

  @Test func tooLongALineIsRefusedAndLeavesTheBytesAlone() throws {
    var encoder = RecordEncoder()
    var bytes: [UInt8] = [1]
    let reversal = ReversalRecord(
      key: "k", user: "u", reason: String(repeating: "x", count: 65_500), actor: "a")
    let error = #expect(throws: RecordError.self) {
      try encoder.append(
        Record(seq: 9, at: SampleRecords.instant, body: .reversal(reversal)), to: &bytes)
    }
    #expect(error?.type == .reversal && error?.beginning.contains("\"key\":\"k\"") == true)
    #expect(bytes == [1])
    var fits = reversal
    fits.reason = String(repeating: "x", count: 65_400)
    try encoder.append(Record(seq: 9, at: SampleRecords.instant, body: .reversal(fits)), to: &bytes)
    #expect(bytes.count > 65_400)
  }

  @Test(arguments: ["", "[]", "{\"a\":1}\n", "{\"a\":1", "{\"a\":1}{}", "{\"a\":\u{1}}"])
  func aDocumentThatIsNoObjectOnOneLineIsRefused(_ document: String) throws {
    let rules = RulesRecord(
      version: "v", effectiveFrom: Day(number: 0), sha256: .zero, drawKey: "k", document: document)
    #expect(throws: RecordError.self) { try line(.rules(rules)) }
  }

  @Test func instantsAndDaysAreWrittenAsTheirOwnFormatWritesThem() throws {
    var samples = SampleRecords(seed: 7)
    for _ in 0..<2_000 {
      let instant = samples.instant()
      let day = samples.day()
      let text = try line(.credit(CreditRecord(user: "u", Credit(effective: instant))))
      #expect(text.contains("\"effective\":\"\(instant)\""))
      let excuse = ExcuseRecord(from: day, to: day, reason: "", actor: "")
      #expect(try line(.excuse(excuse)).contains("\"from\":\"\(day)\",\"to\":\"\(day)\""))
    }
  }

  @Test func aLineOfExactlyTheLimitOfItsBodyIsWritten() throws {
    var operation = OperatorRecord(act: .pause, subject: "", reason: "", actor: "")
    var encoder = RecordEncoder()
    var bytes: [UInt8] = []
    try encoder.appendBody(.operator(operation), to: &bytes)
    let free = RecordEncoder.lineLimitBytes - RecordEncoder.frameLimitBytes - bytes.count
    operation.reason = String(repeating: "x", count: free)
    let longest = Record(
      seq: .max, at: SampleRecords.instant.truncatedToMilliseconds, body: .operator(operation))
    bytes = []
    try encoder.append(longest, to: &bytes)
    #expect(bytes.count <= RecordEncoder.lineLimitBytes && bytes.count > 65_530)
    operation.reason += "x"
    #expect(throws: RecordError.self) { try line(.operator(operation)) }
  }

  @Test func anInstantWithoutTextIsRefused() {
    let level = LevelRecord(
      user: "ann", level: 2, effective: Instant(seconds: Instant.latest.seconds + 1))
    #expect(throws: RecordError.self) { try line(.level(level)) }
  }
}
