/// A control socket made of rows: requests for the process that holds a shard's lease, from machines that reach it only
/// through the database. Blocks.
///
/// A request is taken only once, whatever becomes of its taker, so that no command is carried out twice. Only the two sides
/// interpret the contents.
package struct ShardRequests: Sendable {
  /// A request that was taken.
  package struct Request: Sendable {
    /// The id that its answer is found by.
    package let id: String
    /// The account it claims to come from; whoever may write to the database can name any.
    package let account: String
    /// The request itself.
    package let body: [UInt8]
  }

  /// The maximum size of a request.
  package static let bodyLimitBytes = 24 << 20
  /// Older requests are not taken: their senders have given up, and may have done something else since.
  private static let ageLimit = "now() - interval '10 seconds'"

  private let shard: Int64
  private let pool: DatabasePool

  /// Creates access to the requests for the holder of a shard.
  package init(_ pool: DatabasePool, shard: Int) {
    (self.pool, self.shard) = (pool, Int64(shard))
  }

  /// Sends a request; `id` must be unique.
  package func submit(
    _ body: [UInt8], as id: String, from account: String
  ) throws(DatabaseError) {
    try change(
      """
      INSERT INTO rewards.request (shard, id, at, account, body)
      VALUES ($1, $2, now(), $3, $4)
      """, id, [.text(account), .bytes(body)])
  }

  /// Returns the answer to a request and deletes the request; nil if there is none yet.
  package func answer(to id: String) throws(DatabaseError) -> [UInt8]? {
    let rows = try run(
      "SELECT answer FROM rewards.request WHERE shard = $1 AND id = $2 AND answer IS NOT NULL",
      [.text(id)])
    guard rows.count == 1 else { return nil }
    try change("DELETE FROM rewards.request WHERE shard = $1 AND id = $2", id)
    return rows.bytes(0, 0)
  }

  /// Returns whether a request was taken but not answered.
  package func isTaken(_ id: String) throws(DatabaseError) -> Bool {
    try run(
      "SELECT 1 FROM rewards.request WHERE shard = $1 AND id = $2 AND taker IS NOT NULL",
      [.text(id)]
    ).count == 1
  }

  /// Withdraws a request unless it was taken; returns whether it was withdrawn.
  package func withdraw(_ id: String) throws(DatabaseError) -> Bool {
    try change(
      "DELETE FROM rewards.request WHERE shard = $1 AND id = $2 AND taker IS NULL", id) == 1
  }

  /// Takes the oldest waiting request; nil if there is none. `taker` must be unique.
  ///
  /// Includes requests that `taker` took without learning of it, except those in `known`.
  package func claim(
    as taker: String, besides known: Set<String> = []
  ) throws(DatabaseError) -> Request? {
    while true {
      let rows = try run(
        """
        SELECT id, account, body FROM rewards.request
        WHERE shard = $1 AND (taker IS NULL AND at > \(Self.ageLimit) OR taker = $2)
          AND answer IS NULL AND id <> ALL($3) AND octet_length(body) <= \(Self.bodyLimitBytes)
        ORDER BY at, id LIMIT 1
        """, [.text(taker), .texts(known.sorted())])
      guard rows.count == 1 else { return nil }
      let request = Request(
        id: rows.text(0, 0), account: rows.text(0, 1), body: rows.bytes(0, 2))
      let isOurs = try change(
        """
        UPDATE rewards.request SET taker = $3
        WHERE shard = $1 AND id = $2
          AND (taker IS NULL AND at > \(Self.ageLimit) OR taker = $3)
        """, request.id, [.text(taker)])
      if isOurs == 1 { return request }
    }
  }

  /// Answers a request.
  package func reply(_ answer: [UInt8], to id: String) throws(DatabaseError) {
    try change(
      "UPDATE rewards.request SET answer = $3 WHERE shard = $1 AND id = $2", id, [.bytes(answer)])
  }

  /// Deletes requests older than a day: their senders have given up.
  package func sweep() throws(DatabaseError) {
    _ = try run(
      "DELETE FROM rewards.request WHERE shard = $1 AND at < now() - interval '1 day'")
  }

  @discardableResult
  private func change(
    _ statement: String, _ id: String, _ values: [DatabaseValue] = []
  ) throws(DatabaseError) -> Int {
    try run(statement, [.text(id)] + values).changed
  }

  private func run(
    _ statement: String, _ values: [DatabaseValue] = []
  ) throws(DatabaseError) -> DatabaseRows {
    try pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        DatabaseStatement(statement, [.number(shard)] + values), within: pool.limitSeconds)
    }
  }
}
