import CivilTime
import Digests
import Files
import Ledger
import LedgerStore
import StrictJSON

/// `cursor.json`: what a relay log came to at one of its seals.
///
/// Older versions kept only the cursor there, and no log: then ``head`` is nil. The last member, `sum`, is the SHA-256 of all that
/// stands before it: without it, or with another one, nothing is believed that a log can tell.
struct RelayCache {
  let head: LedgerHead?
  let progress: RelayProgress
  /// The file's name in a sink's folder.
  static let name = "cursor.json"

  /// The cache in `folder`, nil when there is none; throws ``RelayError``.
  static func read(_ folder: String) throws(RelayError) -> RelayCache? {
    let text: [UInt8]
    do {
      text = try WorkingFiles.system.readWhole(path(folder))
    } catch let error as FileError {
      if error.isMissing { return nil }
      throw RelayError(error)
    } catch {
      throw damaged(folder, "\(error)")
    }
    do throws(JSONError) {
      let node = try JSONNode.parse(text)
      let isCursorAlone = node["log"] == nil && node["sum"] == nil
      guard isCursorAlone || sealed(text.dropLast(sealLength)) == text else {
        throw JSONError(offset: max(0, text.count - sealLength), what: "its sum is another one")
      }
      return try RelayCache(node)
    } catch {
      throw damaged(folder, error.what)
    }
  }

  /// The same where a log holds all that the cache does: a damaged one is none.
  static func readUnlessDamaged(_ folder: String) throws(RelayError) -> RelayCache? {
    do throws(RelayError) {
      return try read(folder)
    } catch {
      if error.disk != nil { throw error }
      return nil
    }
  }

  private static func damaged(_ folder: String, _ cause: String) -> RelayError {
    RelayError(
      place: path(folder), cause: "the cursor is damaged: \(cause)",
      remedy: "restore it, or remove it to send every event again, with the same ids")
  }

  /// Puts the cache into `folder`; throws ``LedgerStore/FileError``.
  func write(_ folder: String) throws(FileError) {
    try WorkingFiles.system.replace(Self.path(folder), with: [Self.sealed(json.dropLast(2))])
  }

  private static func path(_ folder: String) -> String { "\(folder)/\(name)" }

  /// An object, whose `}` is missing, with its sum.
  private static func sealed(_ members: ArraySlice<UInt8>) -> [UInt8] {
    members + Array(",\"sum\":\"\(SHA256.digest(of: Array(members)))\"}\n".utf8)
  }
  private static let sealLength = sealed([]).count
}

extension RelayCache {
  /// The same as text without a line's end.
  var text: String { String(decoding: json.dropLast(), as: UTF8.self) }

  /// Reads ``text``.
  init(text: String) throws(JSONError) { try self.init(JSONNode.parse(Array(text.utf8))) }

  /// One JSON line; `seq` and `hash` are the cursor.
  private var json: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("seq", progress.cursor.seq)
    json.member("hash", progress.cursor.hash.description)
    if let head { json.member("log", head.description) }
    if let filter = progress.filter {
      json.object("filter") {
        $0.member("events", filter.events)
        $0.member("after", filter.after)
      }
    }
    json.member("delivered", progress.delivered)
    json.member("failures", progress.failures)
    json.member("deadLetters", progress.deadLetters)
    if let failure = progress.lastFailure {
      json.object("lastFailure") {
        $0.member("at", failure.at.description)
        $0.member("reason", failure.reason)
      }
    }
    if let pause = progress.pause {
      json.object("pause") {
        $0.member("reason", pause.reason)
        $0.member("actor", pause.actor)
        $0.member("since", pause.since.description)
      }
    }
    json.objects("behind", progress.behind) { json, behind in
      Self.write(behind.key, to: &json)
      Self.write(behind.value.from, to: &json)
      Self.write(behind.value.attempts, behind.value.due, to: &json)
    }
    json.objects("settledThrough", progress.settledThrough) { json, settled in
      Self.write(settled.key, to: &json)
      Self.write(settled.value, to: &json)
    }
    json.objects("replays", progress.replays) { json, replay in
      Self.write(replay.key, to: &json)
      Self.write(replay.value.attempts, replay.value.due, to: &json)
      json.objects("events", replay.value.positions) { Self.write($1, to: &$0) }
    }
    json.endObject()
    json.endLine()
    return json.bytes
  }

  private static func write(_ lane: Lane, to json: inout JSONWriter) {
    json.member("lane", lane.kind.rawValue)
    json.member("user", lane.user)
  }

  private static func write(_ position: EventPosition, to json: inout JSONWriter) {
    json.member("of", position.seq)
    json.member("index", position.index)
  }

  private static func write(_ attempts: Int, _ due: Instant?, to json: inout JSONWriter) {
    json.member("attempts", attempts)
    if let due { json.member("due", due.description) }
  }
}

extension RelayCache {
  private init(_ node: JSONNode) throws(JSONError) {
    let fields = RelayFields(node)
    guard let hash = Digest(hex: try fields.text("hash")) else { throw fields.missing("hash") }
    var progress = RelayProgress()
    progress.cursor = LedgerHead(seq: UInt64(try fields.number("seq")), hash: hash)
    guard node["log"] != nil else {
      self.init(head: nil, progress: progress)
      return
    }
    guard let head = LedgerHead(try fields.text("log")) else { throw fields.missing("log") }
    if let filter = node["filter"].map({ RelayFields($0) }) {
      progress.filter = RelayProgress.Filter(
        events: try filter.text("events"), after: UInt64(try filter.number("after")))
    }
    progress.delivered = Int(try fields.number("delivered"))
    progress.failures = Int(try fields.number("failures"))
    progress.deadLetters = Int(try fields.number("deadLetters"))
    if let failure = node["lastFailure"].map({ RelayFields($0) }) {
      progress.lastFailure = (try failure.instant("at"), try failure.text("reason"))
    }
    if let pause = node["pause"].map({ RelayFields($0) }) {
      progress.pause = RelayProgress.Pause(
        reason: try pause.text("reason"), actor: try pause.text("actor"),
        since: try pause.instant("since"))
    }
    for fields in try fields.objects("behind") {
      progress.behind[try fields.lane()] = RelayProgress.Behind(
        from: try fields.position(), attempts: Int(try fields.number("attempts")),
        due: try fields.instantIfThere("due"))
    }
    for fields in try fields.objects("settledThrough") {
      progress.settledThrough[try fields.lane()] = try fields.position()
    }
    for fields in try fields.objects("replays") {
      var replay = RelayProgress.Replay(
        attempts: Int(try fields.number("attempts")), due: try fields.instantIfThere("due"))
      for event in try fields.objects("events") { replay.positions.append(try event.position()) }
      progress.replays[try fields.lane()] = replay
    }
    self.init(head: head, progress: progress)
  }
}
