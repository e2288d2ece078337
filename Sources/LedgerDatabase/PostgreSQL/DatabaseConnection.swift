internal import CPostgreSQL
internal import Glibc

/// A connection to a PostgreSQL server, or to a server that speaks its protocol. Not thread-safe: it belongs to its current
/// holder.
///
/// Blocks the caller, but except for a name look-up never longer than its time limit: a server that hangs counts as gone. Keeps
/// nothing on the server between transactions, so that a pooler may run each transaction on another server connection.
package final class DatabaseConnection {
  private let connection: OpaquePointer
  private let time: WorkerTime
  /// The server's warnings.
  private let warnings = Warnings()
  /// Receives the server's warnings.
  private let warn: @Sendable (String) -> Void
  /// Whether the connection may be used again.
  package private(set) var isUsable = true

  /// Connects; throws if that takes longer than `seconds`. `warn` receives the server's warnings.
  package init(
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
      // Nothing has been sent yet.
      PQfinish(started)
      started = Self.start(address, mode: DatabaseProtection.wanted)
    }
    guard let started else { throw DatabaseError(state: "53200", message: "out of memory") }
    connection = started
    PQsetNoticeReceiver(
      connection, { Warnings.receive($1, $0) }, Unmanaged.passUnretained(warnings).toOpaque())
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
      ? "\n(beyond this machine the server's TLS certificate is verified: add sslrootcert=FILE to the address, or choose an sslmode)"
      : ""
    throw DatabaseError(state: "08001", message: errorMessage + advice)
  }

  private static func start(_ address: DatabaseAddress, mode: String? = nil) -> OpaquePointer? {
    // The address may override options before it. Of several hosts, the one that accepts writes is used.
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

  /// How the connection is protected from others.
  package var protection: DatabaseProtection { DatabaseProtection(of: connection) }

  // Runs after a failed init too.
  deinit { PQfinish(connection) }

  /// Runs one statement and returns its rows.
  package func run(
    _ statement: DatabaseStatement, within seconds: Double
  ) throws(DatabaseError) -> DatabaseRows {
    var last: DatabaseRows?
    try run([statement], within: seconds) { _, rows in last = rows }
    guard let last else { throw broken("no answer arrived") }
    return last
  }

  /// Sends all statements at once and calls `answer` with the number and rows of each.
  ///
  /// If a statement fails, the later ones are not run, and the error is thrown once all answers have arrived. Without a `BEGIN`
  /// the statements are one transaction. After an error inside a transaction, call ``rollBack(within:)``.
  ///
  /// If a commit's wait for a standby is cancelled, the server reports success with a warning (PostgreSQL 15, chapter 27.2.8.3).
  /// That counts as an error of state `40003`, an unknown outcome. No other warning counts.
  package func run(
    _ statements: [DatabaseStatement], within seconds: Double,
    _ answer: (Int, DatabaseRows) -> Void = { _, _ in }
  ) throws(DatabaseError) {
    guard isUsable else { throw DatabaseError(state: "08003", message: "the connection is closed") }
    let deadline = time.now() + seconds
    warnings.last = nil
    warnings.doubt = nil
    // The position at which ``reliance`` is sent among the caller's statements.
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
      // An explanation, such as a pooler's before it hangs up, comes before the end of the connection.
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

  /// Receives the answers to `count` statements and stores the first error in `failure`.
  private func receive(
    _ count: Int, until deadline: Double, _ failure: inout DatabaseError?,
    _ answer: (Int, DatabaseRows) -> Void
  ) throws(DatabaseError) {
    for number in 0..<count {
      guard let result = try next(until: deadline) else { throw broken("an answer is missing") }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answer(number, DatabaseRows(result))
      default:
        // The answers after a failed statement only say that the others were not run.
        if failure == nil { failure = error(of: result) }
        PQclear(result)
      }
      // A null follows each statement's answer.
      if let more = try next(until: deadline) { PQclear(more) }
    }
    if let end = try next(until: deadline) { PQclear(end) }
    guard PQexitPipelineMode(connection) == 1 else { throw broken(errorMessage) }
  }

  /// The settings that each writing transaction relies on, whatever the server, the database, the role or a pooler sets: the
  /// server must warn of a commit that no standby has confirmed, and must acknowledge no commit that is not on its disk.
  private static let reliance = DatabaseStatement(
    """
    SELECT set_config('client_min_messages', 'warning', true), set_config('synchronous_commit',
      CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)
    """)

  /// Returns the position of ``reliance``: at the beginning of a transaction; nil within one, or if nothing is written.
  private func placeOfReliance(in statements: [DatabaseStatement]) -> Int? {
    guard PQtransactionStatus(connection) == PQTRANS_IDLE else { return nil }
    if statements.first?.text == "BEGIN" { return 1 }
    let writes = statements.contains { statement in
      ["INSERT", "UPDATE", "DELETE", "WITH"].contains(where: statement.text.hasPrefix)
    }
    return writes ? 0 : nil
  }

  /// Rolls back a transaction; if that fails, the connection is not used again.
  package func rollBack(within seconds: Double) {
    do throws(DatabaseError) {
      try run([DatabaseStatement("ROLLBACK")], within: seconds)
    } catch {
      isUsable = false
    }
  }

  /// Whether no transaction is open.
  package var isIdle: Bool { isUsable && PQtransactionStatus(connection) == PQTRANS_IDLE }

  /// Whether the server has sent something unasked, mostly that it is closing the connection.
  package var hasUnsolicitedInput: Bool {
    var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
    return poll(&socket, 1, 0) != 0
  }

  private func send(_ statement: DatabaseStatement) throws(DatabaseError) {
    let sent = statement.values.map(\.sent)
    let lengths = sent.map { Int32($0.bytes?.count ?? 0) }
    let formats = sent.map { $0.isBinary ? Int32(1) : 0 }
    // One buffer for all values: its addresses are valid while it is borrowed.
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

  /// Returns the next result; nil after the last one of a statement.
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

  /// Waits until the socket is ready; returns false at the deadline.
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

  /// Marks the connection as unusable and returns the error.
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

/// A connection's last warnings; earlier ones are not kept. Belongs to the connection's current holder.
private final class Warnings {
  var last: String?
  /// The last warning that leaves the outcome of a commit in doubt.
  var doubt: String?

  /// Receives a notice (libpq's `PQnoticeReceiver`); `place` points to the `Warnings` it is for.
  static func receive(_ notice: OpaquePointer?, _ place: UnsafeMutableRawPointer?) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(notice, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    // The only severity field that is never translated.
    guard let place, field("V") == "WARNING" else { return }
    let warnings = Unmanaged<Warnings>.fromOpaque(place).takeUnretainedValue()
    let words = field("M") ?? "no message given"
    warnings.last = words
    if isOfCommit(state: field("C") ?? "", function: field("R")) { warnings.doubt = words }
  }

  /// Returns whether a warning concerns a commit that waited for a standby.
  ///
  /// That is class 57 if the server shuts down meanwhile, or, if the wait was cancelled, a plain warning from the waiting
  /// function (PostgreSQL's `syncrep.c`). A server that names no function is not trusted.
  private static func isOfCommit(state: String, function: String?) -> Bool {
    state.hasPrefix("57")
      || state == "01000" && (function ?? "SyncRepWaitForLSN") == "SyncRepWaitForLSN"
  }
}
