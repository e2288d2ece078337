import CivilTime
import Files
import Operations
import Scheduling

/// What a process finds around it; tests bring their own.
struct ProgramEnvironment: Sendable {
  let variables: [String: String]
  let output: any ByteSink
  let errors: any ByteSink
  let clock: any ServiceClock
  let zones: any ZoneSource
  /// How this program was called.
  var program = "rewards"
  /// Reads the time zone database again; returns whether it is another one now.
  var reloadZones: @Sendable () -> Bool = { false }
  /// The names of all zones of the database.
  var zoneNames: @Sendable () -> [String] = { [] }
  /// Reads standard input to its end.
  let readInput: @Sendable (_ limitBytes: Int) throws(ReadError) -> [UInt8]
  /// The data folder that this process serves already; nil in a process of its own.
  var hosted: Runtime?
}
