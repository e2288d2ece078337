import StrictJSON

/// The lines of the ledger on the simulated disk, as a stranger reads them: JSON, with none of the program's own types.
struct LedgerLines {
  /// All segments, one after the other.
  let bytes: [UInt8]

  init(_ disk: SimulatedDisk) {
    bytes = disk.contents(of: "\(World.folder)/ledger/").filter { $0.name.hasSuffix(".jsonl") }
      .flatMap(\.bytes)
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The lines that are whole.
  var nodes: [JSONNode] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONNode.parse(Array($0)) }
  }

  /// The keys of all first grants, in order.
  var grantKeys: [String] {
    nodes.compactMap { node in
      guard node["type"]?.string == "grant", let key = node["key"]?.string,
        !key.contains("#"), !key.contains("/waived/")
      else { return nil }
      return key
    }
  }
}
