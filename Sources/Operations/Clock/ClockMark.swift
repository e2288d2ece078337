import CivilTime
import Described
import Files
import Ledger
import LedgerStore
import Scheduling

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

    /// For how long after the last record a clock without a mark is still trusted, in seconds.
    private static let longestUnmarkedSeconds: Int64 = 3_600

    /// Why somebody must confirm a clock before days are closed by it, or nil. In simulated time nothing is in doubt.
    func doubt(of clock: any ServiceClock, after state: LedgerState) -> String? {
      if state.isSimulated != false || clock.isSynchronized == true { return nil }
      let now = clock.now()
      switch self {
      case .thisBoot: return nil
      case .otherBoot: break
      case .nothing:
        let earliest = state.at.adding(seconds: -ClockGuard.toleranceSeconds)
        let latest = state.at.adding(seconds: Self.longestUnmarkedSeconds)
        if (earliest...latest).contains(now) { return nil }
      }
      return
        "neither a time server nor the API has confirmed the clock yet; the last record is of \(state.at)"
    }
  }

  private let path: String
  private let files: any FileSystem

  /// The mark of a data folder; nil in a database, whose own clock all go by.
  init?(_ directory: DataDirectory) {
    if directory.isInDatabase { return nil }
    path = "\(directory.state)/clock"
    files = directory.files
  }

  /// What the mark of a data folder says under the boot of this name; nil where the clock is held against nothing.
  static func read(in directory: DataDirectory, boot: String?) -> Finding? {
    guard let boot, let mark = ClockMark(directory) else { return nil }
    return mark.read(boot: boot)
  }

  /// What it says under the boot of this name.
  private func read(boot: String) -> Finding {
    guard let text = try? files.readWholeIfPresent(path),
      let kept = try? Kept(json: text), kept.reading.boot >= 0
    else { return .nothing }
    return kept.boot == boot ? .thisBoot(kept.reading) : .otherBoot
  }

  /// Leaves the mark, with no boot's name while nobody has confirmed the clock; a folder that takes none has its owner told by what is
  /// written besides.
  func write(_ reading: ClockReading, boot: String?) {
    let kept = Kept(boot: boot ?? "", reading: reading)
    try? files.replace(path, with: [kept.jsonLine])
  }

  /// What stands in the file.
  fileprivate struct Kept {
    /// The boot's name.
    let boot: String
    let reading: ClockReading
  }
}

extension ClockMark.Kept: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    boot = try coder.field("boot", value?.pointee.boot)
    let elapsed = try coder.field("elapsed", value?.pointee.reading.boot)
    reading = ClockReading(
      wall: try coder.field("wall", value?.pointee.reading.wall), boot: elapsed)
  }
}
