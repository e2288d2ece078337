import Foundations
import Glibc
import HTTPServer

/// What came back on a connection, byte for byte.
struct RawReply {
  /// 0 when the connection closed without a status line.
  let status: Int
  let headers: [String: String]
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
  /// Whether as many bytes came as were declared.
  var isComplete: Bool { headers["content-length"].flatMap { Int($0) } == body.count }

  init(_ bytes: [UInt8]) {
    let marker = Array("\r\n\r\n".utf8)
    let end =
      bytes.indices.first { bytes[$0...].starts(with: marker) } ?? bytes.endIndex
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    status = lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) } ?? 0
    headers = lines.dropFirst().reduce(into: [:]) { headers, line in
      guard let colon = line.firstIndex(of: ":") else { return }
      headers[line[..<colon].lowercased()] = String(line[colon...].dropFirst(2))
    }
    body = Array(bytes[end...].dropFirst(4))
  }
}

/// A client that writes what it is told and reads until the other side closes.
enum RawClient {
  struct Unreachable: Error {}

  /// A whole request that asks for the connection to be closed after it.
  static func request(
    _ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil
  ) -> [UInt8] {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: x", "Connection: close"] + headers
    if let body { lines.append("Content-Length: \(body.count)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
  }

  /// Sends `bytes` and gives back everything that came until the end.
  static func exchange(_ address: ListenAddress, _ bytes: [UInt8]) async throws -> RawReply {
    try await BlockingThread(named: "raw-client").run {
      let descriptor = try connect(address)
      defer { close(descriptor) }
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { break }
        sent += count
      }
      return RawReply(readToEnd(descriptor))
    }
  }

  static func get(
    _ address: ListenAddress, _ target: String, headers: [String] = []
  ) async throws -> RawReply {
    try await exchange(address, request("GET", target, headers: headers))
  }

  private static func readToEnd(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &room, room.count, 0)
      if count <= 0 { return bytes }
      bytes += room[..<count]
    }
  }

  fileprivate static func connect(_ address: ListenAddress) throws -> Int32 {
    let descriptor: Int32
    let outcome: Int32
    switch address {
    case .tcp(let host, let port):
      var found: UnsafeMutablePointer<addrinfo>?
      guard getaddrinfo(host, String(port), nil, &found) == 0, let info = found?.pointee
      else { throw Unreachable() }
      defer { freeaddrinfo(found) }
      descriptor = socket(info.ai_family, Int32(SOCK_STREAM.rawValue), 0)
      outcome = Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen)
    case .unixSocket(let path):
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var name = unixName(path)
      outcome = withUnsafeBytes(of: &name) {
        Glibc.connect(
          descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
    }
    if outcome != 0 {
      close(descriptor)
      throw Unreachable()
    }
    // A test that would wait for ever fails instead.
    var patience = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    return descriptor
  }

  static func unixName(_ path: String) -> sockaddr_un {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return name
  }
}

/// A connection that stays open while a test looks what becomes of it.
struct RawConnection {
  static var ownUser: UInt32 { getuid() }

  private let descriptor: Int32

  init(_ address: ListenAddress) throws { descriptor = try RawClient.connect(address) }

  func send(_ bytes: [UInt8]) throws {
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    else { throw RawClient.Unreachable() }
  }

  /// Waits for what comes; whether it is the end.
  func isClosedByPeer() -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) <= 0
  }

  func close() { Glibc.close(descriptor) }
}
