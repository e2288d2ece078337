import Digests
import Ledger
import LedgerStore
import NotificationRelay

/// The cursors of the sinks: heads of the ledger that are kept outside of it.
enum RelayCursors {
  /// Up to where each sink was served, as far as it was; a ledger that lacks one of them was cut.
  ///
  /// A cursor that cannot be read is left for the sink to complain about.
  static func heads(_ configuration: Configuration) -> [LedgerHead] {
    let directory = DataDirectory(configuration.data)
    return configuration.relay.compactMap { sink in
      guard case .file = sink.kind,
        let text = try? WholeFile.read(
          "\(directory.relay(sink: sink.name))/cursor.json", limitBytes: 4_096),
        let cursor = RelayCursor(text), cursor.seq > 0
      else { return nil }
      return LedgerHead(seq: cursor.seq, hash: cursor.hash)
    }
  }
}
