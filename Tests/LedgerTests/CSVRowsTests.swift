import Ledger
import StrictJSON
import TestSupport
import Testing

/// Ledger lines as rows of a table.
@Suite(.offThePool) struct CSVRowsTests {
  private func row(_ line: String, _ type: RecordType) throws -> String {
    var rows: [UInt8] = []
    try Array(line.utf8).withUnsafeBufferPointer { line throws(JSONError) in
      var writer = CSVRows(type)
      try writer.append(line, to: &rows)
    }
    return String(decoding: rows, as: UTF8.self)
  }

  /// The list of columns names every member that the encoder writes, in its order.
  @Test(arguments: RecordType.allCases)
  func columnsAreTheMembersThatTheEncoderWrites(_ type: RecordType) throws {
    let columns = type.columns.map(\.description)
    var samples = SampleRecords(seed: 3)
    var met: Set<String> = []
    for _ in 0..<200 {
      var encoder = RecordEncoder()
      var bytes: [UInt8] = []
      let record = Record(seq: 1, at: SampleRecords.instant, body: samples.body(type))
      try encoder.append(record, to: &bytes)
      var names: [String] = []
      try bytes.withUnsafeBufferPointer { line throws(JSONError) in
        var reader = JSONReader(line)
        try reader.readObject { (reader, name) throws(JSONError) in
          names.append(try name.text())
          try reader.skipValue()
        }
      }
      #expect(
        names == columns.filter(names.contains), "another order, or a member without a column")
      met.formUnion(names)
    }
    #expect(met == Set(columns), "columns that no record has")
  }

  @Test func textsAreQuotedWhereTheyMustBe() throws {
    let line =
      #"{"seq":1,"at":"2026-11-20T00:00:00.000Z","type":"reversal","key":"a,b","user":"say \"x\"","#
      + #""undone":true,"reason":"two\nlines","actor":"ann","unknown":7}"#
    #expect(
      try row(line, .reversal)
        == "1,2026-11-20T00:00:00.000Z,reversal,\"a,b\",\"say \"\"x\"\"\",true,,,,,,,,\"two\nlines\",ann,\n"
    )
  }

  @Test func listsKeepTheirTextAndNothingIsEmpty() throws {
    let line =
      #"{"seq":1,"at":"2026-11-20T00:00:00.000Z","type":"credit","user":"ann","effective":"x","#
      + #""exp":5,"items":["a","b"]}"#
    #expect(
      try row(line, .credit)
        == "1,2026-11-20T00:00:00.000Z,credit,ann,x,5,\"[\"\"a\"\",\"\"b\"\"]\",,,,,,,\n")
  }

  /// Lists keep their JSON text, in which escapes say the same.
  @Test func nothingInAListSteersATerminal() throws {
    let line =
      "{\"seq\":1,\"at\":\"2026-11-20T00:00:00.000Z\",\"type\":\"credit\",\"user\":\"ann\",\"items\":[\"a\u{9B}\u{202E}b\",\"日\"]}"
    #expect(
      try row(line, .credit)
        == "1,2026-11-20T00:00:00.000Z,credit,ann,,,\"[\"\"a\\u009b\\u202eb\"\",\"\"日\"\"]\",,,,,,,\n"
    )
  }

  @Test(
    arguments: [
      ("{\"a\":\"日本 é\"}", nil), ("{\"a\":\"x\"}", nil),
      ("{\"a\":\"\u{7F}\u{85}é\u{2066}\u{61C}\"}", #"{"a":"\u007f\u0085é\u2066\u061c"}"#),
    ] as [(String, String?)])
  func jsonIsEscapedWhereItWouldSteer(json: String, escaped: String?) {
    let bytes = Array(json.utf8).withUnsafeBufferPointer { ShownText.escaping(json: $0) }
    #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == escaped)
  }

  /// A spreadsheet runs what begins like a formula, and a terminal what stands behind an escape.
  @Test(arguments: [
    ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"), ("+1", "'+1"), ("-2+3", "'-2+3"),
    ("@SUM(A1)", "'@SUM(A1)"), ("\\t=1", "'\t=1"), ("\\u003d1", "'=1"), ("a=1", "a=1"),
    ("\\u001b[2J", "\\u{1B}[2J"), ("a\u{9B}b", "a\\u{9B}b"), ("日本", "日本"), ("", ""),
  ])
  func formulasAndControlsAreOnlyText(reason: String, cell: String) throws {
    let line =
      "{\"seq\":-3,\"at\":\"2026-10-26T04:10:00.000Z\",\"type\":\"operator\",\"act\":\"pause\",\"subject\":\"x\",\"reason\":\"\(reason)\",\"actor\":\"a\"}"
    let row = try row(line, .operator)
    #expect(row.hasPrefix("-3,"))
    #expect(row.contains(",\(cell),"), "\(row)")
  }
}
