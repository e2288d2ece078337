import Configuration
import Foundations
import Ledger
import LedgerStore
import NotificationRelay

/// The cursors of the sinks, which are heads of the ledger stored outside it.
enum RelayCursors {
  /// Returns the head up to which each sink was served. A ledger that lacks one of them was truncated.
  ///
  /// Skips a folder that is unreadable or not of `ledger`, an id; the sink itself reports it.
  static func heads(_ configuration: Configuration, of ledger: String?) -> [LedgerHead] {
    configuration.relay.compactMap { sink in
      try? SinkFolder(sink.name, in: configuration.directory).cursor(in: ledger)
    }
  }
}
