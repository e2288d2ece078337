import Foundation

/// A folder that is there for one test.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "ledger-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func copy(to other: TemporaryFolder) throws {
    try FileManager.default.removeItem(atPath: other.path)
    try FileManager.default.copyItem(atPath: path, toPath: other.path)
  }
}

func contents(_ path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

func put(_ bytes: [UInt8], at path: String) throws {
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}

func names(in path: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: path).sorted()
}
