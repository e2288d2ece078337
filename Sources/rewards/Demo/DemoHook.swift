import Files
import Sandbox
import StrictJSON

/// Compares what the webhook's receiver got with the file of events.
struct DemoHook {
  /// The file of events.
  let events: String

  /// Ids of events that the receiver lacks, has beyond those of the file, or got first after a later one of the same user.
  func flaws(_ receiver: RelayReceiver) throws -> [String] {
    var flaws: [String] = []
    var place: [String: Int] = [:]
    for (index, event) in receiver.events.enumerated() { place[event.id] = index }
    var last: [String: Int] = [:]
    let lines = try WholeFile.read(events, limitBytes: 1 << 30).split(separator: UInt8(ascii: "\n"))
    for line in lines {
      let node = try JSONNode.parse(Array(line))
      guard let id = node["id"]?.string else { continue }
      // A line that came twice to the file is looked for once.
      let user = node["subject"]?.string ?? ""
      guard let index = place.removeValue(forKey: id) else { continue }
      if index < last[user, default: -1] { flaws.append(id) }
      last[user] = max(index, last[user, default: -1])
    }
    let known = Set(receiver.events.map(\.id))
    flaws += try lines.compactMap { line in
      guard let id = try JSONNode.parse(Array(line))["id"]?.string else { return nil }
      return known.contains(id) ? nil : id
    }
    return flaws + place.keys.sorted()
  }
}
