import PostgreSQL
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
    "POSTGRES://u:secret@db/x", "postgres:/u:secret@db/x", "PostgreSQL:u:secret@db",
  ])
  func whatIsWrongIsToldWithoutIt(_ text: String) {
    #expect(DatabaseAddress.isMeant(by: text))
    let error = #expect(throws: DatabaseError.self) { try DatabaseAddress(text) }
    #expect(error?.description.contains("sec") == false)
  }

  @Test func aFolderIsNoAddress() {
    #expect(
      !DatabaseAddress.isMeant(by: "./data") && !DatabaseAddress.isMeant(by: "/var/postgres://"))
  }
}
