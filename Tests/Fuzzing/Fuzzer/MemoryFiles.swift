import Foundations
import Glibc

/// Files in memory, of one folder or many: what a reader of files is fuzzed on. Nothing is kept behind a crash.
final class MemoryFiles: FileSystem {
  private struct State {
    var files: [String: [UInt8]] = [:]
    var open: [Int32: String] = [:]
    var next: Int32 = 3
  }

  private let state = Lock(State())

  init(_ files: [String: [UInt8]]) { state.withLock { $0.files = files } }

  private static func missing(_ operation: String, _ path: String) -> FileError {
    FileError(operation: operation, path: path, code: ENOENT)
  }

  func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    let descriptor = state.withLock { state -> Int32? in
      switch purpose {
      case .read, .receive: if state.files[path] == nil { return nil }
      case .append, .publish: state.files[path] = state.files[path] ?? []
      case .replace: state.files[path] = []
      }
      state.next += 1
      state.open[state.next] = path
      return state.next
    }
    guard let descriptor else { throw Self.missing("open", path) }
    return OpenFile(descriptor: descriptor, path: path)
  }

  func close(_ file: OpenFile) {
    state.withLock { _ = $0.open.removeValue(forKey: file.descriptor) }
  }

  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    state.withLock { state in
      if let path = state.open[file.descriptor] { state.files[path]?.append(contentsOf: bytes) }
    }
    return bytes.count
  }

  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    state.withLock { state in
      guard let bytes = state.open[file.descriptor].flatMap({ state.files[$0] }),
        offset < bytes.count
      else { return 0 }
      let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
      buffer.copyBytes(from: part)
      return part.count
    }
  }

  func size(of file: OpenFile) throws(FileError) -> Int {
    state.withLock { state in state.open[file.descriptor].flatMap { state.files[$0]?.count } ?? 0 }
  }

  func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    state.withLock { state in
      guard let path = state.open[file.descriptor], let bytes = state.files[path] else { return }
      state.files[path] = Array(bytes.prefix(size))
    }
  }

  func sync(_ file: OpenFile) throws(FileError) {}
  func syncFolder(_ path: String) throws(FileError) {}

  func rename(_ path: String, to newPath: String) throws(FileError) {
    let isThere = state.withLock { state -> Bool in
      guard let bytes = state.files.removeValue(forKey: path) else { return false }
      state.files[newPath] = bytes
      return true
    }
    if !isThere { throw Self.missing("rename", path) }
  }

  func remove(_ path: String) throws(FileError) {
    if state.withLock({ $0.files.removeValue(forKey: path) }) == nil {
      throw Self.missing("remove", path)
    }
  }

  func removeFolder(_ path: String) throws(FileError) {}

  func makeFolder(_ path: String) throws(FileError) -> Bool { false }

  func names(in path: String) throws(FileError) -> [String] {
    state.withLock { state in
      state.files.keys.filter {
        $0.hasPrefix("\(path)/") && !$0.dropFirst(path.count + 1).contains("/")
      }
      .map { String($0.dropFirst(path.count + 1)) }
    }
  }

  func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] { [] }
}
