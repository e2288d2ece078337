import Configuration
import Files
import Ledger
import LedgerStore
import NotificationRelay

/// The cursors of the sinks: heads of the ledger that are kept outside of it.
enum RelayCursors {
  /// Up to where each sink was served, as far as it was; a ledger that lacks one of them was cut.
  ///
  /// A folder that cannot be read, or belongs to another ledger, is left for the sink to complain about.
  static func heads(_ configuration: Configuration) -> [LedgerHead] {
    let directory = configuration.directory
    // What cannot be opened here is complained about by whoever opens it to use it.
    let ledger = try? LedgerReader.open(directory).ledger
    return configuration.relay.compactMap { sink in
      let folder = SinkFolder(sink.name, in: directory)
      guard let cursor = try? folder.progress().cursor, cursor.seq > 0 else { return nil }
      let owner = try? folder.ledger()
      return owner == nil || ledger == nil || owner == ledger ? cursor : nil
    }
  }
}
