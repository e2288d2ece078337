import CivilTime
import Foundations

/// The operating system's zones, for tests that only need names.
let testZones: any ZoneSource = SystemZones(directory: nil)
