import CivilTime
package import Failures
import HTTPClient
package import Ledger
import StrictJSON

/// The heads of a ledger that have left the house: those that sinks are sent with each close, or that somebody has noted.
///
/// Whoever seals a history anew cannot take them back, so a ledger must contain all of them.
package enum PublishedHeads {
  /// The most bytes that an address may answer with.
  private static let limitBytes = 256 << 20
  /// How long an answer may take, in seconds.
  private static let timeoutSeconds = 60.0

  /// Returns whether `place` is a web address, and not a file.
  package static func isAddress(_ place: String) -> Bool {
    place.hasPrefix("https://") || place.hasPrefix("http://")
  }

  /// Returns what stands at a web address.
  package static func fetch(
    _ address: String, _ environment: RuntimeEnvironment
  ) async throws(Failure) -> [UInt8] {
    let http = environment.connect(1, .any)
    defer { http.close() }
    let answer: HTTPResponse
    do {
      answer = try await http.send(
        HTTPRequest(
          url: address, timeoutSeconds: timeoutSeconds, bodyLimitBytes: limitBytes))
    } catch {
      throw Failure(.unavailable, "\(error)", place: address, remedy: "Check the address.")
    }
    guard answer.status == 200 else {
      throw Failure(
        .unavailable, "it answers HTTP \(answer.status)", place: address,
        remedy: "Check the address.")
    }
    return answer.body
  }

  /// Returns the heads of `ledger` in these lines, in their order.
  ///
  /// A line is a head as `SEQ:HASH`, or an event as sinks receive it; events without a head and those of other ledgers are
  /// passed over, and so is a last line that is still being written. Throws for any other line, when two heads contradict each
  /// other, and when none is of this ledger.
  package static func heads(
    in text: [UInt8], of file: String, ledger: String
  ) throws(Failure) -> [LedgerHead] {
    var heads: [LedgerHead] = []
    var known: [UInt64: (head: LedgerHead, line: Int)] = [:]
    var strangers: Set<String> = []
    let whole = text.prefix((text.lastIndex(of: 0x0A) ?? -1) + 1)
    for (index, line) in whole.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    where !line.isEmpty {
      let place = "\(file), line \(index + 1)"
      guard let entry = Entry(line) else {
        throw Failure(
          .badData, "this is neither SEQ:HASH nor an event", place: place,
          remedy: "Give a file that a sink of the kind file writes, or take the line out.")
      }
      guard let head = entry.head else { continue }
      if let other = entry.ledger, other != ledger {
        strangers.insert(other)
        continue
      }
      if let before = known[head.seq] {
        if before.head == head { continue }
        throw Failure(
          .badData, "this head and the one of line \(before.line) contradict each other",
          place: place,
          remedy:
            "The ledger's history was replaced in between: by a restored backup, or by somebody who sealed it anew. Find out which."
        )
      }
      known[head.seq] = (head, index + 1)
      heads.append(head)
    }
    guard !heads.isEmpty else {
      throw Failure(
        .badData,
        strangers.isEmpty
          ? "it holds no head"
          : "it holds heads of \(strangers.sorted().joined(separator: ", ")), and none of this ledger, \(ledger)",
        place: file,
        remedy: strangers.isEmpty
          ? "Each event day.closed has one; see rewards help relay."
          : "Give the file of this ledger. If there is no other, somebody has put another ledger in its place."
      )
    }
    return heads
  }

  /// What a line says.
  private struct Entry {
    var head: LedgerHead?
    /// The ledger whose head it is; nil where the line does not say.
    var ledger: String?

    init?(_ line: some Collection<UInt8>) {
      if let noted = LedgerHead(String(decoding: line, as: UTF8.self)) {
        head = noted
        return
      }
      guard let event = try? JSONNode.parse(Array(line)), let source = event["source"]?.string
      else { return nil }
      let prefix = "urn:uuid:"
      ledger = source.hasPrefix(prefix) ? String(source.dropFirst(prefix.count)) : source
      guard let text = event["ledgerhead"]?.string else { return }
      guard let told = LedgerHead(text) else { return nil }
      head = told
    }
  }
}
