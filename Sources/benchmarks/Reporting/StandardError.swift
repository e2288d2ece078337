import Foundation

/// Prints progress, so that standard output has only the table.
enum StandardError {
  static func note(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
