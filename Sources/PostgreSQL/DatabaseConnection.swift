internal import CPostgreSQL
internal import Glibc

/// A connection to a PostgreSQL server, or to what speaks its protocol.
///
/// Blocks the caller, but for the look-up of a name never beyond the time it was given: a server that hangs is one that is gone. Not thread-safe: it
/// belongs to whoever has it in hand. Keeps nothing on the server between transactions, so that a pool of connections that
/// gives each transaction another one may stand between.
public final class DatabaseConnection {
  private let connection: OpaquePointer
  private let time: WorkerTime
  /// What the server warns of.
  private let warnings = Warnings()
  /// Is told what the server warns of.
  private let warn: @Sendable (String) -> Void
  /// Whether the connection may be used again.
  public private(set) var isUsable = true

  /// Connects; throws when that takes longer than `seconds`. `warn` is told what the server warns of.
  public init(
    _ address: DatabaseAddress, within seconds: Double, time: WorkerTime = .machine,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(DatabaseError) {
    self.time = time
    self.warn = warn
    let deadline = time.now() + seconds
    var started = Self.start(address)
    let isLeftOpen =
      !address.choosesProtection && (started.map { DatabaseProtection(of: $0).isLeftOpen } ?? false)
    if isLeftOpen {
      // Nothing was sent yet.
      PQfinish(started)
      started = Self.start(address, mode: DatabaseProtection.wanted)
    }
    guard let started else { throw DatabaseError(state: "53200", message: "out of memory") }
    connection = started
    PQsetNoticeReceiver(
      connection, { Warnings.take($1, $0) }, Unmanaged.passUnretained(warnings).toOpaque())
    var wanted = PGRES_POLLING_WRITING
    while PQstatus(connection) != CONNECTION_BAD {
      if wanted == PGRES_POLLING_OK {
        PQsetnonblocking(connection, 1)
        return
      }
      if wanted == PGRES_POLLING_FAILED { break }
      let events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT
      guard wait(for: Int16(events), until: deadline) else {
        throw DatabaseError(
          state: "08001", message: "\(address.name) did not answer within \(Int(seconds)) s")
      }
      wanted = PQconnectPoll(connection)
    }
    let advice =
      isLeftOpen
      ? "\n(beyond this machine a TLS certificate is verified, sslrootcert=FILE, unless the address chooses otherwise, sslmode=…)"
      : ""
    throw DatabaseError(state: "08001", message: errorMessage + advice)
  }

  private static func start(_ address: DatabaseAddress, mode: String? = nil) -> OpaquePointer? {
    // What stands before the address may be overridden by it. Of several hosts, the one that takes writes.
    var words = ["target_session_attrs", "dbname", "fallback_application_name", "client_encoding"]
    var values = ["read-write", address.text, "rewards", "UTF8"]
    if let mode {
      words.append("sslmode")
      values.append(mode)
    }
    return withCStrings(words) { words in
      withCStrings(values) { values in PQconnectStartParams(words, values, 1) }
    }
  }

  /// How what goes to the server is kept from others.
  public var protection: DatabaseProtection { DatabaseProtection(of: connection) }

  // Runs after a failed init too.
  deinit { PQfinish(connection) }

  /// Runs one statement and gives its rows.
  public func run(
    _ statement: DatabaseStatement, within seconds: Double
  ) throws(DatabaseError) -> DatabaseRows {
    var last: DatabaseRows?
    try run([statement], within: seconds) { _, rows in last = rows }
    guard let last else { throw broken("no answer came") }
    return last
  }

  /// Sends statements all at once and calls `answer` with the number and the rows of each.
  ///
  /// The first that fails is thrown when all answers are in; the ones after it are not run. Without a `BEGIN` the statements
  /// are one transaction. After an error inside a transaction ``rollBack(within:)`` is needed.
  ///
  /// Of a commit that a standby was to confirm, and whose waiting somebody cancelled, the server says that it is done, and warns
  /// (PostgreSQL 15, chapter 27.2.8.3): that counts as an error of state `40003`, an outcome that nobody knows. No other warning counts.
  public func run(
    _ statements: [DatabaseStatement], within seconds: Double,
    _ answer: (Int, DatabaseRows) -> Void = { _, _ in }
  ) throws(DatabaseError) {
    guard isUsable else { throw DatabaseError(state: "08003", message: "the connection is closed") }
    let deadline = time.now() + seconds
    warnings.last = nil
    warnings.doubt = nil
    // Where what the transaction relies upon is sent beside the caller's statements.
    let own = placeOfReliance(in: statements)
    var sent = statements
    if let own { sent.insert(Self.reliance, at: own) }
    guard PQenterPipelineMode(connection) == 1 else { throw broken(errorMessage) }
    for statement in sent { try send(statement) }
    guard PQpipelineSync(connection) == 1 else { throw broken(errorMessage) }
    var failure: DatabaseError?
    do throws(DatabaseError) {
      try receive(sent.count, until: deadline, &failure) { number, rows in
        if number != own { answer(number > own ?? .max ? number - 1 : number, rows) }
      }
    } catch {
      // What says why, as a pooler does before it hangs up, comes before the end of the connection.
      throw failure.map {
        DatabaseError(state: error.state, message: "\($0.message) (\(error.message))")
      } ?? error
    }
    if let warning = warnings.last { warn(warning) }
    if let doubt = warnings.doubt, failure == nil {
      failure = DatabaseError(state: "40003", message: "the server warns: \(doubt)")
    }
    if let failure {
      if failure.isDisconnection { isUsable = false }
      throw failure
    }
  }

  /// Receives the answers to so many statements; the first that failed is left in `failure`.
  private func receive(
    _ count: Int, until deadline: Double, _ failure: inout DatabaseError?,
    _ answer: (Int, DatabaseRows) -> Void
  ) throws(DatabaseError) {
    for number in 0..<count {
      guard let result = try next(until: deadline) else { throw broken("an answer is missing") }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answer(number, DatabaseRows(result))
      default:
        // Of statements after the one that failed, the answer says only that they were not run.
        if failure == nil { failure = error(of: result) }
        PQclear(result)
      }
      // A null stands behind each statement's answer.
      if let more = try next(until: deadline) { PQclear(more) }
    }
    if let end = try next(until: deadline) { PQclear(end) }
    guard PQexitPipelineMode(connection) == 1 else { throw broken(errorMessage) }
  }

  /// What each transaction that writes relies upon, whatever the server, the database, the role or a pool of connections says: that the
  /// server warns of a commit that no standby has confirmed, and acknowledges none that is not on its disk.
  private static let reliance = DatabaseStatement(
    """
    SELECT set_config('client_min_messages', 'warning', true), set_config('synchronous_commit',
      CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)
    """)

  /// Where ``reliance`` belongs: behind the beginning of a transaction; nowhere within one, and where nothing is written.
  private func placeOfReliance(in statements: [DatabaseStatement]) -> Int? {
    guard PQtransactionStatus(connection) == PQTRANS_IDLE else { return nil }
    if statements.first?.text == "BEGIN" { return 1 }
    let writes = statements.contains { statement in
      ["INSERT", "UPDATE", "DELETE", "WITH"].contains(where: statement.text.hasPrefix)
    }
    return writes ? 0 : nil
  }

  /// Ends a transaction that is not to count; a connection on which that fails is not used again.
  public func rollBack(within seconds: Double) {
    do throws(DatabaseError) {
      try run([DatabaseStatement("ROLLBACK")], within: seconds)
    } catch {
      isUsable = false
    }
  }

  /// Whether no transaction is open.
  public var isIdle: Bool { isUsable && PQtransactionStatus(connection) == PQTRANS_IDLE }

  /// Whether the server has said something that nobody asked for: mostly that it closes the connection.
  public var hasUnaskedInput: Bool {
    var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
    return poll(&socket, 1, 0) != 0
  }

  private func send(_ statement: DatabaseStatement) throws(DatabaseError) {
    let sent = statement.values.map(\.sent)
    let lengths = sent.map { Int32($0.bytes?.count ?? 0) }
    let formats = sent.map { $0.isBinary ? Int32(1) : 0 }
    // One buffer for all values: their addresses hold while it is borrowed.
    var starts: [Int?] = []
    var buffer: [UInt8] = []
    buffer.reserveCapacity(sent.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
    for value in sent {
      starts.append(value.bytes == nil ? nil : buffer.count)
      buffer += value.bytes ?? []
    }
    buffer.append(0)
    let isSent = buffer.withUnsafeBytes { bytes in
      let pointers = starts.map { start in
        start.flatMap { bytes.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
      }
      return PQsendQueryParams(
        connection, statement.text, Int32(sent.count), nil, pointers, lengths, formats, 1)
    }
    guard isSent == 1 else { throw broken(errorMessage) }
  }

  /// The next result; nil behind the last one of a statement.
  private func next(until deadline: Double) throws(DatabaseError) -> OpaquePointer? {
    while true {
      let unsent = PQflush(connection)
      guard unsent >= 0 else { throw broken(errorMessage) }
      if unsent == 0, PQisBusy(connection) == 0 { return PQgetResult(connection) }
      guard wait(for: Int16(unsent > 0 ? POLLIN | POLLOUT : POLLIN), until: deadline) else {
        throw broken("the server did not answer in time", state: "57014")
      }
      guard PQconsumeInput(connection) == 1 else { throw broken(errorMessage) }
    }
  }

  /// Waits until the socket has something; false when the time is over.
  private func wait(for events: Int16, until deadline: Double) -> Bool {
    while true {
      let left = deadline - time.now()
      guard left > 0 else { return false }
      var socket = pollfd(fd: PQsocket(connection), events: events, revents: 0)
      let ready = poll(&socket, 1, Int32(min(left * 1000 + 1, 3_600_000)))
      if ready > 0 || (ready < 0 && errno != EINTR) { return true }
    }
  }

  private func error(of result: OpaquePointer) -> DatabaseError {
    let field = PQresultErrorField(result, Int32(UInt8(ascii: "C")))
    let message = PQresultErrorField(result, Int32(UInt8(ascii: "M")))
    return DatabaseError(
      state: field.map { String(cString: $0) } ?? "08006",
      message: message.map { String(cString: $0) } ?? errorMessage)
  }

  /// The error of a connection that is of no use any more.
  private func broken(_ message: String, state: String = "08006") -> DatabaseError {
    isUsable = false
    return DatabaseError(state: state, message: message)
  }

  private var errorMessage: String {
    let message = String(cString: PQerrorMessage(connection))
    return message.isEmpty ? "the connection broke" : message
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { pointers in
      guard let base = pointers.baseAddress else { preconditionFailure("the list is not empty") }
      return body(base)
    }
  }
}

/// The last warnings of a connection; less than that is not kept. Belongs to whoever has the connection in hand.
private final class Warnings {
  var last: String?
  /// The last that says of a commit that nobody knows whether it lasts.
  var doubt: String?

  /// Takes a notice in (libpq's `PQnoticeReceiver`): `place` is where the value lies that it is for.
  static func take(_ notice: OpaquePointer?, _ place: UnsafeMutableRawPointer?) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(notice, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    // The field that no language changes.
    guard let place, field("V") == "WARNING" else { return }
    let warnings = Unmanaged<Warnings>.fromOpaque(place).takeUnretainedValue()
    let words = field("M") ?? "of what it does not say"
    warnings.last = words
    if isOfCommit(state: field("C") ?? "", function: field("R")) { warnings.doubt = words }
  }

  /// Whether a warning is about a commit that waited for a standby: class 57 where the server shuts down meanwhile; where somebody cancelled the
  /// waiting, a plain warning of the function that waits (PostgreSQL's `syncrep.c`). A server that names no function is not believed.
  private static func isOfCommit(state: String, function: String?) -> Bool {
    state.hasPrefix("57")
      || state == "01000" && (function ?? "SyncRepWaitForLSN") == "SyncRepWaitForLSN"
  }
}
