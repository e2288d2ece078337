public import Failures

/// Reads a document that a person wrote and collects every mistake instead of stopping at the first.
///
/// Each getter returns nil after noting a problem. `finish()` on a section notes every key that nobody asked for, with
/// the nearest known name. Not thread-safe.
public final class DocumentReader {
  /// All mistakes so far, in the order in which they were met.
  public private(set) var problems: [DocumentProblem] = []
  private let text: [UInt8]
  private let lineStarts: [Int]
  /// The paths of all members that somebody has asked for, whether they are there or not.
  public internal(set) var asked: Set<String> = []
  /// The document's root, nil when the text is no JSON at all (then `problems` says why).
  public private(set) var root: JSONNode?

  /// Parses `text`; a text that is no JSON leaves `root` nil and one problem.
  public init(_ text: [UInt8], allowingComments: Bool) {
    var starts = [0]
    for (index, byte) in text.enumerated() where byte == UInt8(ascii: "\n") {
      starts.append(index + 1)
    }
    lineStarts = starts
    self.text = text
    do throws(JSONError) {
      root = try JSONNode.parse(text, allowingComments: allowingComments)
    } catch {
      note("", at: error.offset, error.what)
    }
  }

  /// Returns the root as a section, noting a problem when it is no object.
  public func rootSection() -> DocumentSection? {
    guard let root else { return nil }
    return section(root, path: "")
  }

  /// `node` as a section, noting a problem when it is no object.
  public func section(_ node: JSONNode, path: String) -> DocumentSection? {
    guard let members = node.members else {
      note(path, at: node.offset, "expected an object { … }")
      return nil
    }
    return DocumentSection(reader: self, path: path, offset: node.offset, members: members)
  }

  /// Notes a mistake at a byte offset.
  public func note(_ path: String, at offset: Int, _ what: String) {
    problems.append(
      DocumentProblem(path: path, line: line(of: offset), column: column(of: offset), what: what))
  }

  /// Returns the column, from 1 and in characters, of a byte offset.
  public func column(of offset: Int) -> Int {
    let start = lineStarts[line(of: offset) - 1]
    let before = text[start..<max(start, min(offset, text.count))]
    // Bytes that go on with a character count for nothing.
    return before.count { $0 & 0xC0 != 0x80 } + 1
  }

  /// Returns the line, from 1, in which a byte offset lies.
  public func line(of offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while low < high {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    return max(low, 1)
  }
}

/// One mistake in a document that a person wrote: place, cause and, where there is one, the remedy.
public struct DocumentProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the offending value, as `missions.watch.points` or `streak.rewards[3]`; empty for the document.
  public let path: String
  /// The line in the text, from 1.
  public let line: Int
  /// The column in the line, from 1 and in characters.
  public let column: Int
  /// What is wrong and what to do.
  public let what: String

  /// Creates a mistake at a place.
  public init(path: String, line: Int, column: Int, what: String) {
    self.path = path
    self.line = line
    self.column = column
    self.what = what
  }

  /// The place and the cause, on one line.
  public var description: String {
    let place = "line \(line), column \(column)"
    return path.isEmpty ? "\(place): \(what)" : "\(place): \(path): \(what)"
  }
}

extension DocumentProblem: FailureConvertible {
  /// Bad data.
  public var failure: Failure { Failure(.badData, description) }
}
