import CivilTime
import Files
import LedgerStore
import StrictJSON

/// `state/clock`: what the wall clock and the boot clock showed when they were last found to agree, and under which boot of the
/// machine. The next start of the same boot holds its wall clock against that. To lose it costs that one comparison.
struct ClockMark {
  /// What a mark says to a start.
  enum Finding {
    /// What both clocks have shown in this boot.
    case thisBoot(ClockReading)
    /// That the machine was started again since, or that nobody had confirmed the clock.
    case otherBoot
    /// There is none that can be read.
    case nothing

    /// What the present can be held against.
    var reading: ClockReading? {
      if case .thisBoot(let reading) = self { reading } else { nil }
    }
  }

  private let path: String

  /// The mark of a data folder; nil in a database, whose own clock all go by.
  init?(_ directory: DataDirectory) {
    if directory.isInDatabase { return nil }
    path = "\(directory.state)/clock"
  }

  /// What it says under the boot of this name.
  func read(boot: String) -> Finding {
    guard let text = try? WorkingFiles.system.readWholeIfPresent(path),
      let mark = try? JSONNode.parse(text), let marked = mark["boot"]?.string,
      let elapsed = mark["elapsed"]?.int, elapsed > 0,
      let wall = mark["wall"]?.string.flatMap({ try? InstantText.parse($0) })
    else { return .nothing }
    return marked == boot
      ? .thisBoot(ClockReading(wall: wall.instant, boot: elapsed)) : .otherBoot
  }

  /// Leaves the mark, with no boot's name while nobody has confirmed the clock; a folder that takes none has its owner told by what is
  /// written besides.
  func write(_ reading: ClockReading, boot: String?) {
    var json = JSONWriter()
    json.beginObject()
    json.member("boot", boot ?? "")
    json.member("elapsed", reading.boot)
    json.member("wall", reading.wall.description)
    json.endObject()
    json.endLine()
    try? WorkingFiles.system.replace(path, with: [json.bytes])
  }
}
