import Foundation

/// Where progress goes, so that standard output holds the table alone.
enum StandardError {
  static func note(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
