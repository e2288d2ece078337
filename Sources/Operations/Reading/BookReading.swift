public import CivilTime
public import Ledger
public import LedgerStore
import Threading

/// Reads the book of a data folder without writing anything, whether a service holds the ledger or not.
public enum BookReading {
  /// The book up to the ledger's last seal, or as it was at `instant`; throws ``LedgerStore/LedgerError``.
  public static func read(
    _ directory: DataDirectory, at instant: Instant? = nil
  ) async throws -> Book {
    try await BlockingThread(named: "rewards.read").run {
      try read(LedgerReader.open(directory), at: instant)
    }
  }

  /// The same of one user: a book that knows nobody else, read by passing over the lines of others.
  public static func read(
    _ directory: DataDirectory, of user: String, at instant: Instant? = nil
  ) async throws -> Book {
    try await BlockingThread(named: "rewards.read").run {
      var book = Book()
      try LedgerReader.open(directory).readRecords(of: .named([user])) { record in
        if let instant, record.at > instant { return }
        book.apply(record)
      }
      return book
    }
  }

  /// The same; an empty book where there is no ledger yet.
  public static func readIfThere(_ directory: DataDirectory) async throws -> Book {
    do {
      return try await read(directory)
    } catch let error as LedgerError where error.kind == .missing {
      return Book()
    }
  }

  /// The same on the calling thread, which it blocks.
  static func read(_ reader: LedgerReader, at instant: Instant? = nil) throws -> Book {
    var book = Book()
    try reader.readRecords(after: 0) { record in
      if let instant, record.at > instant { return }
      book.apply(record)
    }
    return book
  }
}
