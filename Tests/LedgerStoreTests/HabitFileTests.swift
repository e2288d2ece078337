import CivilTime
import Evidence
import Foundations
import LedgerStore
import Scheduling
import TestSupport
import Testing

/// Habits on disk: a cache that is used whole or not at all.
@Suite(.offThePool) struct HabitFileTests {
  private static let start = Instant(seconds: 1_793_000_000)

  private static let habits = (0..<20).map { user in
    var habits = UserHabits(since: start)
    for day in 0..<Int64(user) {
      habits.learn(.watch, at: start.adding(seconds: day * 86_400 + Int64(user) * 3_600))
    }
    return habits
  }

  @Test func whatWasKeptComesBackForItsLedgerOnly() throws {
    let folder = try TemporaryFolder()
    let directory = DataDirectory(folder.path)
    try directory.create()
    let file = HabitFile(directory)
    #expect(try file.read(ledger: "one").isEmpty)
    try file.write(Self.habits, ledger: "one")
    #expect(try file.read(ledger: "one") == Self.habits)
    #expect(try file.read(ledger: "two").isEmpty)
  }

  @Test func anyDamageLosesItWithoutAnError() throws {
    let folder = try TemporaryFolder()
    let directory = DataDirectory(folder.path)
    try directory.create()
    let file = HabitFile(directory)
    try file.write(Self.habits, ledger: "one")
    let whole = try PosixFileSystem().readWhole(directory.habits)
    for place in whole.indices {
      var bytes = whole
      bytes[place] ^= 0x04
      try PosixFileSystem().replace(directory.habits, with: [bytes])
      #expect(try file.read(ledger: "one").isEmpty, "byte \(place)")
    }
    for count in [0, 5, whole.count - 1, whole.count - 32] {
      try PosixFileSystem().replace(directory.habits, with: [Array(whole[..<count])])
      #expect(try file.read(ledger: "one").isEmpty, "\(count) bytes")
    }
  }
}
