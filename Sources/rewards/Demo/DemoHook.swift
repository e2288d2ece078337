import Foundations
import Sandbox
import StrictJSON

/// Compares what the webhook's receiver got with the event files, one per ledger.
struct DemoHook {
  /// The event files.
  let files: [String]

  /// Returns the ids of events that the receiver lacks, has beyond those of the files, or first got after a later one of the same user.
  func flaws(_ receiver: RelayReceiver) throws -> [String] {
    var flaws: [String] = []
    var place: [String: Int] = [:]
    for (index, event) in receiver.events.enumerated() { place[event.id] = index }
    let known = Set(place.keys)
    for file in files {
      // Events about no user have an order within each ledger.
      var last: [String: Int] = [:]
      let lines = try PosixFileSystem().readInput(file, limitBytes: 1 << 30).split(
        separator: UInt8(ascii: "\n"))
      for line in lines {
        let node = try JSONNode.parse(Array(line))
        guard let id = node["id"]?.string else { continue }
        if !known.contains(id) { flaws.append(id) }
        // Look only once for a line that is in the file twice.
        guard let index = place.removeValue(forKey: id) else { continue }
        let user = node["subject"]?.string ?? ""
        if index < last[user, default: -1] { flaws.append(id) }
        last[user] = max(index, last[user, default: -1])
      }
    }
    return flaws + place.keys.sorted()
  }
}
