import CivilTime
import Files
import LedgerStore
import StrictJSON

/// `state/clock`: what the wall clock and the boot clock showed when they were last found to agree, and under which boot of the
/// machine. The next start of the same boot holds its wall clock against that. To lose it costs that one comparison.
struct ClockMark {
  private let path: String

  /// The mark of a data folder; nil in a database, whose own clock all go by.
  init?(_ directory: DataDirectory) {
    if directory.isInDatabase { return nil }
    path = "\(directory.state)/clock"
  }

  /// What both clocks showed in the boot of this name; nil when nothing is known of it.
  func read(boot: String?) -> ClockReading? {
    guard let boot, let text = try? WorkingFiles.system.readWholeIfPresent(path),
      let mark = try? JSONNode.parse(text), mark["boot"]?.string == boot,
      let elapsed = mark["elapsed"]?.int, elapsed > 0,
      let wall = mark["wall"]?.string.flatMap({ try? InstantText.parse($0) })
    else { return nil }
    return ClockReading(wall: wall.instant, boot: elapsed)
  }

  /// Leaves the mark; a folder that takes none has its owner told by what is written besides.
  func write(_ reading: ClockReading, boot: String) {
    var json = JSONWriter()
    json.beginObject()
    json.member("boot", boot)
    json.member("elapsed", reading.boot)
    json.member("wall", reading.wall.description)
    json.endObject()
    json.endLine()
    try? WorkingFiles.system.replace(path, with: [json.bytes])
  }
}
