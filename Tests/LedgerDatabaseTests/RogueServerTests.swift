import Foundations
import Glibc
import LedgerDatabase
import TestSupport
import Testing

/// Servers that are none, or hang up: what do they get, and what is told?
@Suite(.offThePool) struct RogueServerTests {
  /// A pooler says why it hangs up; the end of the connection is not all that is told.
  @Test func whyAPoolerHangsUpIsTold() throws {
    let server = try RogueServer(.hangsUp("no more connections allowed (max_client_conn)"))
    let address = try DatabaseAddress("postgres://bob@127.0.0.1:\(server.port)/x?sslmode=disable")
    let connection = try DatabaseConnection(address, within: 20)
    let error = #expect(throws: DatabaseError.self) {
      try connection.run([DatabaseStatement("BEGIN"), DatabaseStatement("COMMIT")], within: 20)
    }
    #expect(error?.message.contains("max_client_conn") == true, "\(error?.message ?? "")")
    #expect(error?.isDisconnection == true && !connection.isUsable)
  }

  /// One that has no TLS asks for the password in clear.
  @Test(arguments: [
    // Somebody else's machine, by its name.
    ("db.test", "hostaddr=127.0.0.1", false),
    ("db.test", "hostaddr=127.0.0.1&sslmode=verify-full", false),
    ("db.test", "hostaddr=127.0.0.1&sslmode=require", false),
    // The address chooses.
    ("db.test", "hostaddr=127.0.0.1&sslmode=prefer", true),
    ("db.test", "hostaddr=127.0.0.1&sslmode=disable", true),
    // This machine.
    ("127.0.0.1", "", true), ("localhost", "hostaddr=127.0.0.1", true),
  ])
  func aPasswordGoesToNoStranger(host: String, query: String, isGiven: Bool) throws {
    let server = try RogueServer()
    let address = try DatabaseAddress(
      "postgres://bob:hush@\(host):\(server.port)/x?connect_timeout=20&gssencmode=disable&\(query)")
    let error = #expect(throws: DatabaseError.self) {
      try DatabaseConnection(address, within: 20)
    }
    #expect(server.heard.contains("hush") == isGiven)
    let isImposed = host == "db.test" && !query.contains("sslmode")
    #expect(error?.message.contains("sslrootcert") == isImposed, "\(error?.message ?? "")")
    #expect(error?.message.contains("hush") == false)
  }
}

/// Speaks as much of the protocol as it takes to ask for a password in clear, or to let everybody in and hang up at the first statement.
private final class RogueServer: Sendable {
  enum Manner: Sendable {
    case asksForThePassword
    case hangsUp(String)
  }

  let port: UInt16
  private let listener: Int32
  private let bytes = Lock<[UInt8]>([])

  /// All that came.
  var heard: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

  init(_ manner: Manner = .asksForThePassword) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place -> UInt16? in
        guard bind(listener, place, length) == 0, listen(listener, 8) == 0,
          getsockname(listener, place, &length) == 0
        else { return nil }
        return UInt16(bigEndian: pointer.pointee.sin_port)
      }
    }
    self.listener = listener
    self.port = try #require(port)
    ownThread(named: "rogue") { [listener, bytes] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        switch manner {
        case .asksForThePassword: Self.answer(connection, bytes)
        case .hangsUp(let reason): Self.hangUp(connection, because: reason)
        }
        close(connection)
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func answer(_ connection: Int32, _ heard: Lock<[UInt8]>) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return }
      heard.withLock { $0 += buffer[..<count] }
      // The eight bytes of a request for TLS; else the start-up, or the password.
      let isTLS = count == 8 && buffer[4...7].elementsEqual([0x04, 0xD2, 0x16, 0x2F])
      let clearText: [UInt8] = [UInt8(ascii: "R"), 0, 0, 0, 8, 0, 0, 0, 3]
      let answer = isTLS ? [UInt8(ascii: "N")] : clearText
      if buffer[0] == UInt8(ascii: "p") { return }
      _ = write(connection, answer, answer.count)
    }
  }

  private static func hangUp(_ connection: Int32, because reason: String) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
      let length = UInt32(body.count + 4).bigEndian
      return [type.asciiValue ?? 0] + withUnsafeBytes(of: length) { Array($0) } + body
    }
    func text(_ words: String...) -> [UInt8] { words.flatMap { Array($0.utf8) + [0] } }
    let welcome =
      message("R", [0, 0, 0, 0])
      + [
        ("server_version", "15.0"), ("default_transaction_read_only", "off"),
        ("in_hot_standby", "off"),
      ]
      .flatMap { message("S", text($0.0, $0.1)) } + message("Z", Array("I".utf8))
    let end = message("E", text("SFATAL", "VFATAL", "C08P01", "M\(reason)") + [0])
    for answer in [welcome, end] {
      guard read(connection, &buffer, buffer.count) > 0 else { return }
      _ = write(connection, answer, answer.count)
    }
  }
}
