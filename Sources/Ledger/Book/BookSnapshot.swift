import CivilTime
import RewardRules
import StrictJSON

/// A book as bytes: JSON lines, first what belongs to all, then one line per account.
///
/// Only a cache: it stands for a seal of the ledger and can be made again from it. Its form may change with any
/// version; `read` refuses what it does not know, and the ledger is then read from its beginning.
public enum BookSnapshot {
  /// The form's number; another one is not read.
  static let form: Int64 = 2

  /// Why a snapshot cannot be used.
  public struct Unusable: Error, Sendable, CustomStringConvertible {
    /// The line and the cause.
    public let description: String
  }

  /// The bytes of `book`.
  public static func write(_ book: Book) -> [UInt8] {
    var writer = JSONWriter()
    writer.bytes.reserveCapacity(book.accounts.count * 256)
    writeHeader(of: book, to: &writer)
    writer.endLine()
    for account in book.accounts {
      write(account, to: &writer)
      writer.endLine()
    }
    return writer.bytes
  }

  /// The line of one account: equal lines mean equal accounts.
  public static func line(of account: Account) -> [UInt8] {
    var writer = JSONWriter()
    write(account, to: &writer)
    return writer.bytes
  }

  /// The book that `bytes` hold.
  public static func read(_ bytes: [UInt8]) throws(Unusable) -> Book {
    var book = Book()
    var number = 0
    var failure: Unusable?
    bytes.withUnsafeBufferPointer { buffer in
      for line in buffer.split(separator: UInt8(ascii: "\n")) {
        number += 1
        var reader = JSONReader(UnsafeBufferPointer(rebasing: line))
        do throws(JSONError) {
          if number == 1 {
            try readHeader(from: &reader, into: &book)
          } else {
            book.restore(try readAccount(from: &reader))
          }
          try reader.finish()
        } catch {
          failure = Unusable(description: "line \(number): \(error)")
          return
        }
      }
    }
    if let failure { throw failure }
    if number == 0 { throw Unusable(description: "line 1: is missing") }
    return book
  }

  private static func writeHeader(of book: Book, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("book", form)
    writer.member("seq", book.seq)
    writer.member("at", book.at)
    writer.member("ledger", book.ledger)
    writer.member("zones", book.zones)
    writer.objects("closes", book.closes.sorted { $0.key < $1.key }) { writer, close in
      writer.member("zone", close.key)
      writer.member("day", close.value.last.day)
      writer.member("start", close.value.last.start)
      writer.member("end", close.value.last.end)
      writer.key("shares")
      writer.beginArray()
      for share in close.value.shares {
        writer.int(share.streaks)
        writer.int(share.broken)
      }
      writer.endArray()
    }
    writer.member("rules", book.ruleTexts)
    if let drawKey = book.drawKey { writer.member("drawKey", drawKey) }
    writer.objects("excuses", book.excuses) { writer, excuse in
      writer.member("from", excuse.from)
      writer.member("to", excuse.to)
      if let users = excuse.users { writer.member("users", users) }
      writer.member("reason", excuse.reason)
      writer.member("actor", excuse.actor)
    }
    if let clock = book.acceptedClock { writer.member("acceptedClock", clock) }
    writer.member("confirmed", book.confirmedCloses.sorted())
    writer.objects("lastRuns", book.lastRuns.sorted { $0.key < $1.key }) { writer, run in
      writer.member("key", run.key)
      writer.member("nominal", run.value.nominal)
      writer.member("nominalLocal", run.value.nominalLocal)
    }
    writer.objects("pauses", book.pauses.sorted { $0.key < $1.key }) { writer, pause in
      writer.member("job", pause.key)
      writer.member("since", pause.value.since)
      writer.member("reason", pause.value.reason)
      writer.member("actor", pause.value.actor)
    }
    write("zonesSince", book.zonesSince, to: &writer)
    writer.endObject()
  }

  private static func readHeader(
    from reader: inout JSONReader, into book: inout Book
  ) throws(JSONError) {
    var seq: UInt64 = 0
    var at = Instant.earliest
    var version: Int64 = 0
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "book": version = try reader.readInt()
      case "seq": seq = try reader.readInteger()
      case "at": at = try reader.readInstant()
      case "ledger": book.ledger = try reader.readString()
      case "zones": for zone in try reader.readStrings() { _ = book.intern(zone: zone) }
      case "closes":
        try reader.readArray { (reader) throws(JSONError) in
          try readClose(from: &reader, into: &book)
        }
      case "rules": for text in try reader.readStrings() { book.add(ruleText: text) }
      case "excuses":
        try reader.readArray { (reader) throws(JSONError) in
          book.excuses.append(try readExcuse(from: &reader))
        }
      case "acceptedClock": book.acceptedClock = try reader.readInstant()
      case "drawKey": book.drawKey = try reader.readString()
      case "lastRuns":
        try reader.readArray { (reader) throws(JSONError) in
          try readRun(from: &reader, into: &book)
        }
      case "pauses":
        try reader.readArray { (reader) throws(JSONError) in
          try readPause(from: &reader, into: &book)
        }
      case "zonesSince": book.zonesSince = try readInstants(from: &reader)
      case "confirmed": book.confirmedCloses = Set(try reader.readStrings())
      default: try reader.skipValue()
      }
    }
    if version != form { throw reader.error("form \(version) is not known") }
    book.restore(seq: seq, at: at)
  }

  private static func write(
    _ name: String, _ instants: [String: Instant], to writer: inout JSONWriter
  ) {
    writer.object(name) { writer in
      for (key, instant) in instants.sorted(by: { $0.key < $1.key }) { writer.member(key, instant) }
    }
  }

  private static func readInstants(
    from reader: inout JSONReader
  ) throws(JSONError) -> [String: Instant] {
    var instants: [String: Instant] = [:]
    try reader.readObject { (reader, key) throws(JSONError) in
      instants[try key.text()] = try reader.readInstant()
    }
    return instants
  }

  private static func readClose(
    from reader: inout JSONReader, into book: inout Book
  ) throws(JSONError) {
    var zone = ""
    var day = Day(number: 0)
    var start = Instant.earliest
    var end = Instant.earliest
    var numbers: [Int64] = []
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "zone": zone = try reader.readString()
      case "day": day = try reader.readDay()
      case "start": start = try reader.readInstant()
      case "end": end = try reader.readInstant()
      case "shares": numbers = try reader.readInts()
      default: try reader.skipValue()
      }
    }
    var closes = ZoneCloses(last: DayWindow(day: day, start: start, end: end))
    for index in stride(from: 0, to: numbers.count - 1, by: 2) {
      closes.shares.append(
        ZoneCloses.Share(streaks: Int(numbers[index]), broken: Int(numbers[index + 1])))
    }
    book.closes[zone] = closes
  }

  private static func readExcuse(from reader: inout JSONReader) throws(JSONError) -> ExcuseRecord {
    var excuse = ExcuseRecord(
      from: Day(number: 0), to: Day(number: 0), users: nil, reason: "", actor: "")
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "from": excuse.from = try reader.readDay()
      case "to": excuse.to = try reader.readDay()
      case "users": excuse.users = try reader.readStrings()
      case "reason": excuse.reason = try reader.readString()
      case "actor": excuse.actor = try reader.readString()
      default: try reader.skipValue()
      }
    }
    return excuse
  }
}
