import StrictJSON

/// A command line on its way to the process that holds the ledger.
public struct ControlRequest: Sendable, Equatable {
  /// The words after the program's name.
  public let words: [String]
  /// What the command reads from its file or from standard input.
  public let input: [UInt8]
  /// The number of the account that sent it, as the kernel tells the receiver; never part of what is sent.
  public let peerUser: UInt32?

  /// A request.
  public init(words: [String], input: [UInt8] = [], peerUser: UInt32? = nil) {
    self.words = words
    self.input = input
    self.peerUser = peerUser
  }

  /// The request as JSON; the input as text.
  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("words", words)
    writer.member("input", String(decoding: input, as: UTF8.self))
    writer.endObject()
    return writer.bytes
  }

  /// The request that `json` spells, from the account `peerUser`, or nil.
  public init?(json: [UInt8], peerUser: UInt32?) {
    guard let node = try? JSONNode.parse(json), let words = node["words"]?.elements,
      let input = node["input"]?.string
    else { return nil }
    self.init(
      words: words.compactMap(\.string), input: Array(input.utf8), peerUser: peerUser)
  }
}

/// What a command printed and how it ended, on its way back.
public struct ControlAnswer: Sendable, Equatable {
  /// The exit code.
  public let exitCode: Int32
  /// What it wrote to standard output.
  public let output: [UInt8]
  /// What it wrote to standard error.
  public let errors: [UInt8]

  /// An answer.
  public init(exitCode: Int32, output: [UInt8], errors: [UInt8]) {
    self.exitCode = exitCode
    self.output = output
    self.errors = errors
  }

  /// The answer as JSON.
  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("exitCode", exitCode)
    writer.member("output", String(decoding: output, as: UTF8.self))
    writer.member("errors", String(decoding: errors, as: UTF8.self))
    writer.endObject()
    return writer.bytes
  }

  /// The answer that `json` spells, or nil.
  public init?(json: [UInt8]) {
    guard let node = try? JSONNode.parse(json), let exitCode = node["exitCode"]?.int,
      let output = node["output"]?.string, let errors = node["errors"]?.string
    else { return nil }
    self.init(
      exitCode: Int32(clamping: exitCode), output: Array(output.utf8), errors: Array(errors.utf8))
  }
}
