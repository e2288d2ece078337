public import StrictJSON

/// Turns ledger lines of one type into rows of comma-separated values (RFC 4180, but ended by `\n`).
///
/// Texts stand as they are, in quotes where they must; one that a spreadsheet would take for a formula (`=`, `+`, `-`, `@`
/// first) has a `'` before it, and controls are written `\\u{…}`. Null and what a line leaves out is empty; arrays and objects
/// keep their JSON text, with escapes for what steers a terminal. Members that the type's columns do not name are left out. Not thread-safe.
public struct CSVRows: Sendable {
  /// What stands in a cell, by its place in the line.
  private enum Cell {
    case empty
    /// A number, a truth value, an array or an object.
    case bytes(Range<Int>)
    case plainText(Range<Int>)
    case text(String)
  }

  private let columns: [StaticString]
  // Kept between rows: its memory is used again.
  private var cells: [Cell]

  /// Rows of records of `type`.
  public init(_ type: RecordType) {
    columns = type.columns
    cells = Array(repeating: .empty, count: columns.count)
  }

  /// The names of the columns, as the first row.
  public var header: [UInt8] {
    Array(columns.map(\.description).joined(separator: ",").utf8) + [UInt8(ascii: "\n")]
  }

  /// Appends the row of `line`, which stands without its `\n`; after an error `rows` stay as they were.
  public mutating func append(
    _ line: UnsafeBufferPointer<UInt8>, to rows: inout [UInt8]
  ) throws(JSONError) {
    try read(line)
    for (index, cell) in cells.enumerated() {
      if index > 0 { rows.append(UInt8(ascii: ",")) }
      switch cell {
      case .empty: break
      case .bytes(let range): Self.append(UnsafeBufferPointer(rebasing: line[range]), to: &rows)
      case .plainText(let range):
        let text = UnsafeBufferPointer(rebasing: line[range])
        if let first = text.first, Self.isFormula(first) { rows.append(UInt8(ascii: "'")) }
        Self.append(text, to: &rows)
      case .text(let text):
        var shown = ShownText.plain(text)
        if let first = shown.utf8.first, Self.isFormula(first) { shown = "'" + shown }
        shown.withUTF8 { Self.append($0, to: &rows) }
      }
    }
    rows.append(UInt8(ascii: "\n"))
  }

  private mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    for index in cells.indices { cells[index] = .empty }
    var reader = JSONReader(line)
    // Members come in the order of the columns, as a rule.
    var next = 0
    try reader.readObject { (reader, name) throws(JSONError) in
      let later = columns[next...].firstIndex { $0 ~= name }
      guard let index = later ?? columns[..<next].firstIndex(where: { $0 ~= name }) else {
        return try reader.skipValue()
      }
      cells[index] = try Self.cell(&reader)
      next = index + 1
    }
  }

  private static func cell(_ reader: inout JSONReader) throws(JSONError) -> Cell {
    switch try reader.peek() {
    case .string:
      let start = reader.offset
      try reader.skipValue()
      let inside = start + 1..<reader.offset - 1
      // Escapes, or what is no ASCII and may steer a terminal.
      let isPlain = reader.slice(inside).allSatisfy { $0 != UInt8(ascii: "\\") && $0 < 0x7F }
      guard !isPlain else { return .plainText(inside) }
      var again = JSONReader(reader.slice(start..<reader.offset))
      return .text(try again.readString())
    case .null:
      _ = try reader.readNull()
      return .empty
    default:
      let start = reader.offset
      try reader.skipValue()
      guard let escaped = ShownText.escaping(json: reader.slice(start..<reader.offset)) else {
        return .bytes(start..<reader.offset)
      }
      return .text(String(decoding: escaped, as: UTF8.self))
    }
  }

  /// Returns whether a spreadsheet reads a cell that begins so as a formula.
  private static func isFormula(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
      UInt8(ascii: "\t"), UInt8(ascii: "\r"):
      true
    default: false
    }
  }

  private static func append(_ cell: UnsafeBufferPointer<UInt8>, to rows: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let isPlain = cell.allSatisfy {
      $0 != quote && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
    }
    if isPlain {
      rows.append(contentsOf: cell)
      return
    }
    rows.append(quote)
    for byte in cell {
      if byte == quote { rows.append(quote) }
      rows.append(byte)
    }
    rows.append(quote)
  }
}
