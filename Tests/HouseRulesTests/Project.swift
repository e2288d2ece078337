import Foundation

/// The package as it lies on disk.
enum Project {
  /// The package's folder.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The product's code.
  static let sources = files(in: "Sources")
  /// The tests' code.
  static let tests = files(in: "Tests")

  /// The text of the manifest.
  static var manifest: String {
    get throws {
      try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
    }
  }

  private static func files(in folder: String) -> [SourceFile] {
    let names = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
    return (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted()
      .map { name in
        let path = "\(folder)/\(name)"
        let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        return SourceFile(path: path, text: text ?? "")
      }
  }
}
