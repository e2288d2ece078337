import Configuration
import Foundations
import Ledger
import LedgerStore
import NotificationRelay

/// The cursors of the sinks, which are heads of the ledger stored outside it.
enum RelayCursors {
  /// Returns the head up to which each sink was served. A ledger that lacks one of them was truncated.
  ///
  /// Skips a folder that is unreadable or of another ledger; the sink itself reports it.
  static func heads(_ configuration: Configuration) -> [LedgerHead] {
    let directory = configuration.directory
    // A ledger that cannot be opened here is reported where it is opened for use.
    let ledger = try? LedgerReader.open(directory).ledger
    return configuration.relay.compactMap { sink in
      try? SinkFolder(sink.name, in: directory).cursor(in: ledger)
    }
  }
}
