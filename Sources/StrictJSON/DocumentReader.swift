public import Failures

/// A reader of a document written by a person. Collects every mistake instead of stopping at the first.
///
/// Each getter notes a problem and returns nil. A section's `finish()` notes every key that nothing read, with the
/// nearest known name. Not thread-safe.
public final class DocumentReader {
  /// All mistakes so far, in the order found.
  public private(set) var problems: [DocumentProblem] = []
  private let text: [UInt8]
  private let lineStarts: [Int]
  /// The paths of all members read so far, whether present or not.
  public internal(set) var asked: Set<String> = []
  /// The document's root; nil if the text is not JSON, and then `problems` says why.
  public private(set) var root: JSONNode?

  /// Parses `text`. A text that is not JSON leaves `root` nil and one problem.
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
      let isCutOff = error.offset >= text.count
      note("", at: error.offset, isCutOff ? "the text ends too early: \(error.what)" : error.what)
    }
  }

  /// Returns the root as a section; notes a problem if it is not an object.
  public func rootSection() -> DocumentSection? {
    guard let root else { return nil }
    return section(root, path: "")
  }

  /// Returns `node` as a section; notes a problem if it is not an object.
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

  /// Returns the column of a byte offset, from 1, in characters.
  public func column(of offset: Int) -> Int {
    let start = lineStarts[line(of: offset) - 1]
    let before = text[start..<max(start, min(offset, text.count))]
    // Continuation bytes of a character do not count.
    return before.count { $0 & 0xC0 != 0x80 } + 1
  }

  /// Returns the line of a byte offset, from 1.
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

/// A mistake in a document written by a person: the place, the cause and, where there is one, the remedy.
public struct DocumentProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the offending value, e.g. `missions.watch.points` or `streak.rewards[3]`; empty for the whole document.
  public let path: String
  /// The line in the text, from 1.
  public let line: Int
  /// The column in the line, from 1, in characters.
  public let column: Int
  /// What is wrong and how to fix it.
  public let what: String

  /// Creates a mistake at a place.
  public init(path: String, line: Int, column: Int, what: String) {
    self.path = path
    self.line = line
    self.column = column
    self.what = what
  }

  /// The place and the cause on one line.
  public var description: String {
    let place = "line \(line), column \(column)"
    return path.isEmpty ? "\(place): \(what)" : "\(place): \(path): \(what)"
  }
}

extension DocumentProblem: FailureConvertible {
  /// The mistake as a bad-data failure.
  public var failure: Failure { Failure(.badData, description) }
}
