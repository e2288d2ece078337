import Configuration
import Digests
import Files
import Ledger
import LedgerStore
import NotificationRelay

/// The cursors of the sinks: heads of the ledger that are kept outside of it.
enum RelayCursors {
  /// Up to where each sink was served, as far as it was; a ledger that lacks one of them was cut.
  ///
  /// A log that cannot be read, or belongs to another ledger, is left for the sink to complain about.
  static func heads(_ configuration: Configuration) -> [LedgerHead] {
    let directory = DataDirectory(configuration.data)
    // What cannot be opened here is complained about by whoever opens it to use it.
    let ledger = try? LedgerReader.open(directory).ledger
    return read(configuration).filter { cursor in
      let owner = try? RelayLogReader(cursor.sink, in: directory).ledger()
      return cursor.seq > 0 && (owner == nil || ledger == nil || owner == ledger)
    }.map { LedgerHead(seq: $0.seq, hash: $0.hash) }
  }

  /// The cursor of each sink; at 0 where there is none that can be read.
  static func read(_ configuration: Configuration) -> [(sink: String, seq: UInt64, hash: Digest)] {
    let directory = DataDirectory(configuration.data)
    return configuration.relay.map { sink in
      let cursor = (try? RelayLogReader(sink.name, in: directory).progress())?.cursor ?? .origin
      return (sink.name, cursor.seq, cursor.hash)
    }
  }
}
