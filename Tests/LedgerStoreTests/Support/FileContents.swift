import Foundation

func contents(_ path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

func put(_ bytes: [UInt8], at path: String) throws {
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}

func names(in path: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: path).sorted()
}
