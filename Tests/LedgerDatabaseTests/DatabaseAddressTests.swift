import LedgerDatabase
import TestSupport
import Testing

/// Addresses as operators write them, and what is told of them.
@Suite(.offThePool) struct DatabaseAddressTests {
  @Test(arguments: [
    ("postgres://db.example/rewards", "postgres://db.example/rewards"),
    (
      "postgresql://u:secret@db.example:6432/rewards?sslmode=require",
      "postgres://db.example:6432/rewards"
    ),
    ("postgres://u:p%40ss@a,b:1/x", "postgres://a,b:1/x"),
    ("postgres://u@%2Frun%2Fpostgresql/x", "postgres://%2Frun%2Fpostgresql/x"),
    ("postgres:///?service=rewards", "postgres:///?service=rewards"),
    ("postgres://db/x?hostaddr=127.0.0.2", "postgres://db/x?hostaddr=127.0.0.2"),
    ("postgres:///?host=/run/postgresql&dbname=x", "postgres://%2Frun%2Fpostgresql/x"),
    ("postgres://db/x?password=secret", "postgres://db/x"),
  ])
  func aNameHoldsNoPassword(_ text: String, _ name: String) throws {
    #expect(DatabaseAddress.isMeant(by: text))
    #expect(try DatabaseAddress(text).name == name)
  }

  @Test(arguments: [
    "postgres://u:sec ret%@db/x", "postgres://u:secret@[::1/x", "postgres://db/x?nonsense=secret",
    "postgres://u:top/secret@db:5432/x", "postgres://u:1/secret@db/x?sslmode=require",
    "postgres://u:secret@db:54x2/x", "postgres://u:secret@a:1,b:65536/x",
    "postgres://u:secret@a:0/x",
    "postgres://u:p@secret@db/x", "POSTGRES://u:secret@db/x", "postgres:/u:secret@db/x",
    "PostgreSQL:u:secret@db",
  ])
  func whatIsWrongIsToldWithoutIt(_ text: String) {
    #expect(DatabaseAddress.isMeant(by: text))
    let error = #expect(throws: DatabaseError.self) { try DatabaseAddress(text) }
    #expect(error?.description.contains("sec") == false)
  }

  @Test(arguments: [
    ("postgres://u:p%40%26ss@a,b:1/x", "postgres://u@a,b:1/x", "p@&ss"),
    ("postgres://u:p%40a@db/x?sslmode=require", "postgres://u@db/x?sslmode=require", "p@a"),
    (
      "postgres://db/x?password=secret&sslmode=require", "postgres://db/x?sslmode=require", "secret"
    ),
    ("postgres://db/x?password=secret", "postgres://db/x", "secret"),
  ])
  func aPasswordMayStandElsewhere(_ text: String, _ address: String, _ password: String) throws {
    let divided = try #require(try DatabaseAddress(text).divided)
    #expect(divided.address == address && divided.password == password)
    #expect(try DatabaseAddress(divided.address).name == DatabaseAddress(text).name)
    #expect(try DatabaseAddress(divided.address).divided == nil)
  }

  @Test func aFolderIsNoAddress() {
    #expect(
      !DatabaseAddress.isMeant(by: "./data") && !DatabaseAddress.isMeant(by: "/var/postgres://"))
  }
}
