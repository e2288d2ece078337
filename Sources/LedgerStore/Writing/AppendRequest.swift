internal import Ledger

/// One caller's records and how the caller learns of their fate.
struct AppendRequest: Sendable {
  let bodies: [RecordBody]
  let encoded: EncodedBodies
  let reply: CheckedContinuation<[Record], any Error>
}
