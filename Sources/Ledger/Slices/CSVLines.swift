public import StrictJSON

/// Turns ledger lines of one type into rows of comma-separated values (RFC 4180, but ended by `\n`).
///
/// Texts stand as they are, in quotes where they must; null and what a line leaves out is empty; arrays and objects
/// keep their JSON text. Members that the type's columns do not name are left out.
public struct CSVLines: Sendable {
  private let columns: [StaticString]

  /// Rows of records of `type`.
  public init(_ type: RecordType) { columns = type.columns }

  /// The names of the columns, as the first row.
  public var header: [UInt8] {
    Array(columns.map(\.description).joined(separator: ",").utf8) + [UInt8(ascii: "\n")]
  }

  /// Appends the row of `line`, which stands without its `\n`.
  public func append(
    _ line: UnsafeBufferPointer<UInt8>, to rows: inout [UInt8]
  ) throws(JSONError) {
    var cells = [[UInt8]](repeating: [], count: columns.count)
    var reader = JSONReader(line)
    try reader.readObject { (reader, name) throws(JSONError) in
      guard let index = columns.firstIndex(where: { $0 ~= name }) else {
        return try reader.skipValue()
      }
      cells[index] = try Self.cell(&reader)
    }
    for (index, cell) in cells.enumerated() {
      if index > 0 { rows.append(UInt8(ascii: ",")) }
      Self.appendQuoted(cell, to: &rows)
    }
    rows.append(UInt8(ascii: "\n"))
  }

  private static func cell(_ reader: inout JSONReader) throws(JSONError) -> [UInt8] {
    switch try reader.peek() {
    case .string: return Array(try reader.readString().utf8)
    case .null:
      _ = try reader.readNull()
      return []
    default:
      let start = reader.offset
      try reader.skipValue()
      return Array(reader.slice(start..<reader.offset))
    }
  }

  private static func appendQuoted(_ cell: [UInt8], to rows: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let isPlain = cell.allSatisfy {
      $0 != quote && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
    }
    if isPlain {
      rows += cell
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
