import Foundations
import Sandbox
import StrictJSON

/// Compares what the webhook's receiver got with the files of events, one for each ledger.
struct DemoHook {
  /// The files of events.
  let files: [String]

  /// Ids of events that the receiver lacks, has beyond those of the files, or got first after a later one of the same user.
  func flaws(_ receiver: RelayReceiver) throws -> [String] {
    var flaws: [String] = []
    var place: [String: Int] = [:]
    for (index, event) in receiver.events.enumerated() { place[event.id] = index }
    let known = Set(place.keys)
    for file in files {
      // What is about nobody has an order in each ledger by itself.
      var last: [String: Int] = [:]
      let lines = try PosixFileSystem().readInput(file, limitBytes: 1 << 30).split(
        separator: UInt8(ascii: "\n"))
      for line in lines {
        let node = try JSONNode.parse(Array(line))
        guard let id = node["id"]?.string else { continue }
        if !known.contains(id) { flaws.append(id) }
        // A line that came twice to the file is looked for once.
        guard let index = place.removeValue(forKey: id) else { continue }
        let user = node["subject"]?.string ?? ""
        if index < last[user, default: -1] { flaws.append(id) }
        last[user] = max(index, last[user, default: -1])
      }
    }
    return flaws + place.keys.sorted()
  }
}
