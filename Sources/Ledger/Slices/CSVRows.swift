public import StrictJSON

/// A converter from ledger lines of one type to comma-separated rows (RFC 4180, but ended by `\n`).
///
/// Texts are written unchanged, quoted where necessary. A text that a spreadsheet would take for a formula (beginning
/// with `=`, `+`, `-` or `@`) gets a `'` in front, and controls are written `\\u{…}`. Null and missing members become
/// empty cells. Arrays and objects keep their JSON text, with terminal controls escaped. Members outside the type's
/// columns are dropped. Not thread-safe.
public struct CSVRows: Sendable {
  /// The content of a cell, by its position in the line.
  private enum Cell {
    case empty
    /// A number, a Boolean, an array or an object.
    case bytes(Range<Int>)
    case plainText(Range<Int>)
    case text(String)
  }

  private let columns: [StaticString]
  // Kept between rows, to reuse its memory.
  private var cells: [Cell]

  /// Creates a converter for records of `type`.
  public init(_ type: RecordType) {
    columns = type.columns
    cells = Array(repeating: .empty, count: columns.count)
  }

  /// The first row, with the names of the columns.
  public var header: [UInt8] {
    Array(columns.map(\.description).joined(separator: ",").utf8) + [UInt8(ascii: "\n")]
  }

  /// Appends the row of `line`, given without its `\n`; leaves `rows` unchanged on an error.
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
    // Members usually come in the order of the columns.
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
      // Has escapes, or non-ASCII characters that may control a terminal.
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

  /// Returns whether a spreadsheet takes a cell that begins with `byte` for a formula.
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
