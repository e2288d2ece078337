package import CivilTime
package import Foundations

/// Time zones of which one cannot be read while a test wants it so, as between two packages of the database.
package final class PatchyZones: ZoneSource {
  private let whole: any ZoneSource
  private let name: String
  /// Whether all can be read.
  package let isWhole = Lock(true)

  /// The zones of `whole`, of which the one called `name` may be gone.
  package init(_ whole: any ZoneSource, without name: String) {
    self.whole = whole
    self.name = name
  }

  package var version: String { whole.version }

  package func zone(named name: String) throws(ZoneError) -> Zone {
    if name == self.name, !isWhole.withLock({ $0 }) {
      throw ZoneError(name: name, what: "no readable file")
    }
    return try whole.zone(named: name)
  }
}
