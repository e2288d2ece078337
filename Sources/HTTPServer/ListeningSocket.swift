package import Failures
internal import Glibc

/// A listening socket with its actual address.
struct ListeningSocket: Sendable {
  let descriptor: Int32
  let address: ListenAddress
  /// The inode of the socket file; 0 without a file.
  private var inode: UInt64 = 0

  private static let backlog: Int32 = 1_024

  /// Creates, binds and opens the socket; with `replaces`, it takes the place of another server's.
  init(_ wanted: ListenAddress, replaces: Bool = false) throws(HTTPServerError) {
    switch wanted {
    case .tcp(let host, let port): self = try Self.tcp(wanted, host: host, port: port)
    case .unixSocket(let path):
      self = try Self.unix(wanted, path: path, replaces: replaces)
      inode = Self.inode(path)
    }
  }

  private init(descriptor: Int32, address: ListenAddress) {
    self.descriptor = descriptor
    self.address = address
  }

  /// Closes the descriptor and removes the socket file, unless another server has replaced it.
  func close() {
    if case .unixSocket(let path) = address, Self.inode(path) == inode { unlink(path) }
    Glibc.close(descriptor)
  }

  private static func inode(_ path: String) -> UInt64 {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  private static func tcp(
    _ wanted: ListenAddress, host: String, port: UInt16
  ) throws(HTTPServerError) -> ListeningSocket {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let info = found?.pointee else {
      throw HTTPServerError(
        address: wanted, cause: "\"\(host)\" is not a numeric address",
        remedy: "write an IPv4 or IPv6 address, such as 127.0.0.1")
    }
    defer { freeaddrinfo(found) }
    let descriptor = try open(info.ai_family, for: wanted)
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, backlog) == 0
    else { throw refusal(of: wanted, closing: descriptor) }
    return ListeningSocket(
      descriptor: descriptor, address: .tcp(host: host, port: boundPort(of: descriptor)))
  }

  private static func unix(
    _ wanted: ListenAddress, path: String, replaces: Bool
  ) throws(HTTPServerError) -> ListeningSocket {
    guard var name = sockaddr_un(path: path) else {
      throw HTTPServerError(
        address: wanted, cause: "the path is longer than a socket's name can be (107 bytes)",
        remedy: "use a data folder with a shorter path")
    }
    try makeRoom(at: path, name: &name, for: wanted, replaces: replaces)
    let descriptor = try open(AF_UNIX, for: wanted)
    // Set before the bind, so that the file never has wider permissions.
    fchmod(descriptor, 0o600)
    guard name.withAddress({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0
    else { throw refusal(of: wanted, closing: descriptor) }
    return ListeningSocket(descriptor: descriptor, address: wanted)
  }

  /// Removes what a killed server left behind and, with `replaces`, another server's socket; nothing else.
  private static func makeRoom(
    at path: String, name: inout sockaddr_un, for wanted: ListenAddress, replaces: Bool
  ) throws(HTTPServerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw HTTPServerError(
        address: wanted, cause: "a file that is not a socket is in the way",
        remedy: "move that file away")
    }
    let probe = try open(AF_UNIX, for: wanted)
    defer { Glibc.close(probe) }
    // Only a socket without a listener refuses; one with too many callers returns EAGAIN.
    if !replaces, name.withAddress({ connect(probe, $0, $1) }) == 0 || errno != ECONNREFUSED {
      throw HTTPServerError(
        address: wanted, cause: "another server answers there", remedy: "stop that one first")
    }
    unlink(path)
  }

  private static func open(_ family: Int32, for wanted: ListenAddress) throws(HTTPServerError)
    -> Int32
  {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, kind, 0)
    if descriptor < 0 { throw refusal(of: wanted, closing: nil) }
    return descriptor
  }

  /// Returns the error for the current `errno`.
  private static func refusal(of wanted: ListenAddress, closing descriptor: Int32?)
    -> HTTPServerError
  {
    let code = errno
    if let descriptor { Glibc.close(descriptor) }
    let remedy =
      switch code {
      case EADDRINUSE: "stop what listens there, or choose another port"
      case EACCES, EPERM: "choose a port above 1023 or a folder that this user can write to"
      case ENOENT: "create the folder first"
      default: "choose another address"
      }
    return HTTPServerError(address: wanted, cause: String(cString: strerror(code)), remedy: remedy)
  }

  private static func boundPort(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length)
      // The port has the same offset in IPv4 and IPv6 addresses.
      return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
    }
  }
}

extension sockaddr_un {
  /// Creates the name of the socket file at `path`; nil if it is too long.
  init?(path: String) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &sun_path) { room in
      guard bytes.count < room.count else { return false }
      room.copyBytes(from: bytes)
      return true
    }
    guard fits else { return nil }
  }

  /// Calls `body` with the address in the form for socket calls.
  mutating func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &self) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}

/// Why a server could not start: place, cause and remedy.
package struct HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The requested address.
  package let address: ListenAddress
  /// What is wrong there.
  package let cause: String
  /// What an operator can do.
  package let remedy: String

  /// Creates an error about `address`.
  package init(address: ListenAddress, cause: String, remedy: String) {
    self.address = address
    self.cause = cause
    self.remedy = remedy
  }

  /// Place, cause and remedy on one line.
  package var description: String { "cannot listen on \(address): \(cause); \(remedy)" }
}

extension HTTPServerError: FailureConvertible {
  /// The address is not available.
  package var failure: Failure {
    Failure(.unavailable, cause, place: "\(address)", remedy: remedy)
  }
}
