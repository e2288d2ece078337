internal import Described
public import StrictJSON

/// A decoder of ledger lines that ignores unknown fields.
public enum RecordDecoder {
  /// Decodes one line, with or without its `\n`. Errors state the byte within the line.
  public static func decode(
    _ line: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) -> Record {
    var text = line
    if text.last == UInt8(ascii: "\n") { text = UnsafeBufferPointer(rebasing: line.dropLast()) }
    var scanner = LineScanner()
    guard let frame = scanner.scan(text) else { throw cause(text) }
    guard let type = frame.type else {
      throw JSONError(offset: 0, what: "this version does not know this type of record")
    }
    var reader = JSONReader(text)
    let body = try body(type, &reader, frame.rest(of: text))
    try reader.finish()
    return Record(seq: frame.seq, at: frame.at, body: body)
  }

  /// Decodes one line; see ``decode(_:)-(UnsafeBufferPointer<UInt8>)``.
  public static func decode(_ line: [UInt8]) throws(JSONError) -> Record {
    try line.withUnsafeBufferPointer { (line) throws(JSONError) in try decode(line) }
  }

  /// Returns why a line has no frame.
  static func cause(_ line: UnsafeBufferPointer<UInt8>) -> JSONError {
    var reader = JSONReader(line)
    var found: Set<String> = []
    do throws(JSONError) {
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "seq": _ = try reader.readInteger(as: UInt64.self)
        case "at": _ = try reader.readInstant()
        case "type", "key": _ = try reader.readString()
        default: return try reader.skipValue()
        }
        let text = try name.text()
        guard found.insert(text).inserted else { throw .twice(text, at: name.offset) }
      }
      try reader.finish()
    } catch {
      return error
    }
    let missing = ["seq", "at", "type", "key"].first { !found.contains($0) } ?? "key"
    return JSONError(offset: line.count, what: "the field \"\(missing)\" is missing")
  }

  private static func body(
    _ type: RecordType, _ reader: inout JSONReader, _ frame: JSONReader?
  ) throws(JSONError) -> RecordBody {
    switch type {
    case .genesis: .genesis(try reader.readObject(behindFrame: frame))
    case .user: .user(try reader.readObject(behindFrame: frame))
    case .rules: .rules(try reader.readObject(behindFrame: frame))
    case .evidence: .evidence(try reader.readObject(behindFrame: frame))
    case .credit: .credit(try reader.readObject(behindFrame: frame))
    case .grant: .grant(try reader.readObject(behindFrame: frame))
    case .streak: .streak(try reader.readObject(behindFrame: frame))
    case .level: .level(try reader.readObject(behindFrame: frame))
    case .unknown: .unknown(try reader.readObject(behindFrame: frame))
    case .close: .close(try reader.readObject(behindFrame: frame))
    case .excuse: .excuse(try reader.readObject(behindFrame: frame))
    case .reversal: .reversal(try reader.readObject(behindFrame: frame))
    case .run: .run(try reader.readObject(behindFrame: frame))
    case .refused: .refused(try reader.readObject(behindFrame: frame))
    case .message: .message(try reader.readObject(behindFrame: frame))
    case .operator: .operator(try reader.readObject(behindFrame: frame))
    case .seal: .seal(try reader.readObject(behindFrame: frame))
    }
  }
}
