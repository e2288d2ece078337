import CivilTime
import Described
import Foundations
import Ledger
import LedgerStore
import Scheduling

/// The mark in `state/clock`: the readings of the wall and boot clocks when they last agreed, and the boot of the machine.
///
/// The next start under the same boot compares its wall clock with them. Losing the file costs only that comparison.
struct ClockMark {
  /// What a start learns from the mark.
  enum Finding {
    /// The readings of both clocks in this boot.
    case thisBoot(ClockReading)
    /// The machine has been started again since, or the clock was unconfirmed.
    case otherBoot
    /// No readable mark exists.
    case nothing

    /// The reading to compare the present with.
    var reading: ClockReading? {
      if case .thisBoot(let reading) = self { reading } else { nil }
    }

    /// How long after the last record a clock without a mark is still trusted, in seconds.
    private static let longestUnmarkedSeconds: Int64 = 3_600

    /// Returns why an operator must confirm the clock before it may close days, or nil. Simulated time is never in doubt.
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
        "neither a time server nor the API has confirmed the clock yet; the last record is from \(state.at)"
    }
  }

  private let path: String
  private let files: any FileSystem

  /// Creates the mark of a data folder; nil for a database, whose own clock everyone uses.
  init?(_ directory: DataDirectory) {
    if directory.isInDatabase { return nil }
    path = "\(directory.state)/clock"
    files = directory.files
  }

  /// Reads the mark of a data folder for the boot of this name; returns nil where there is nothing to compare the clock with.
  static func read(in directory: DataDirectory, boot: String?) -> Finding? {
    guard let boot, let mark = ClockMark(directory) else { return nil }
    return mark.read(boot: boot)
  }

  /// Reads the mark for the boot of this name.
  private func read(boot: String) -> Finding {
    guard let text = try? files.readWholeIfPresent(path),
      let kept = try? Kept(json: text), kept.reading.boot >= 0
    else { return .nothing }
    return kept.boot == boot ? .thisBoot(kept.reading) : .otherBoot
  }

  /// Writes the mark, without a boot's name while the clock is unconfirmed. Ignores failures: other writes report an unwritable
  /// folder.
  func write(_ reading: ClockReading, boot: String?) {
    let kept = Kept(boot: boot ?? "", reading: reading)
    try? files.replace(path, with: [kept.jsonLine])
  }

  /// The content of the file.
  fileprivate struct Kept {
    /// The name of the boot.
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
