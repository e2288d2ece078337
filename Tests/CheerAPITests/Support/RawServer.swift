import Foundation
import Glibc
import Synchronization

/// A server of raw bytes on a loopback port or a Unix socket: each connection runs the script on its own thread.
final class RawServer: Sendable {
  typealias Script = @Sendable (RawConnection) -> Void

  let port: UInt16
  private let listener: Int32
  private let connectionCount = Atomic<Int>(0)

  /// The connections that were accepted so far.
  var connections: Int { connectionCount.load(ordering: .relaxed) }
  var url: String { "http://127.0.0.1:\(port)" }

  init(unixSocketPath: String? = nil, script: @escaping Script) throws {
    listener = socket(
      unixSocketPath == nil ? AF_INET : AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    if let path = unixSocketPath {
      port = 0
      try Self.bind(listener, path: path)
    } else {
      port = try Self.bindLoopback(listener)
    }
    guard listen(listener, 256) == 0 else { throw POSIXError(.EIO) }
    let listener = listener
    Thread.detachNewThread { [weak self] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else {
          // Closed here and nowhere else: its number may belong to another server at once.
          close(listener)
          return
        }
        self?.connectionCount.add(1, ordering: .relaxed)
        Thread.detachNewThread {
          let connection = RawConnection(socket: socket)
          script(connection)
          close(socket)
        }
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func bindLoopback(_ listener: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        Glibc.bind(listener, generic, length) == 0 && getsockname(listener, generic, &length) == 0
      }
    }
    guard result else { throw POSIXError(.EADDRINUSE) }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func bind(_ listener: Int32, path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.EADDRINUSE) }
  }
}

/// One accepted connection, driven by blocking calls.
final class RawConnection {
  let socket: Int32
  private var buffer: [UInt8] = []

  init(socket: Int32) { self.socket = socket }

  /// The next request's head and body, or nil when the client has closed.
  func readRequest() -> (head: String, body: [UInt8])? {
    while true {
      let text = String(decoding: buffer, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = String(text[..<end.lowerBound])
        let headLength = head.utf8.count + 4
        let wanted = head.lowercased().split(separator: "\r\n").first {
          $0.hasPrefix("content-length:")
        }.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        while buffer.count < headLength + (wanted ?? 0) { guard fill() else { return nil } }
        let body = Array(buffer[headLength..<headLength + (wanted ?? 0)])
        buffer.removeFirst(headLength + (wanted ?? 0))
        return (head, body)
      }
      guard fill() else { return nil }
    }
  }

  /// Sends everything; false when the client has gone.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends a whole answer that keeps the connection.
  @discardableResult
  func answer(_ status: Int = 200, headers: [String] = [], body: String = "") -> Bool {
    let lines = (["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers)
    return send(lines.map { $0 + "\r\n" }.joined() + "\r\n" + body)
  }

  /// Waits until the client closes its side.
  func waitForClose() { while fill() {} }

  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    buffer.append(contentsOf: chunk[..<count])
    return true
  }
}
