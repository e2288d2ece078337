internal import Described

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
    Parcel(words: words, input: String(decoding: input, as: UTF8.self)).json
  }

  /// The request that `json` spells, from the account `peerUser`, or nil.
  public init?(json: [UInt8], peerUser: UInt32?) {
    guard let parcel = try? Parcel(json: json) else { return nil }
    self.init(words: parcel.words, input: Array(parcel.input.utf8), peerUser: peerUser)
  }

  fileprivate struct Parcel {
    let words: [String]
    let input: String
  }
}

extension ControlRequest.Parcel: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    words = try coder.field("words", value?.pointee.words)
    input = try coder.field("input", value?.pointee.input)
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

  /// The answer as JSON; what was written as text.
  public var json: [UInt8] {
    Parcel(
      exitCode: exitCode, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self)
    ).json
  }

  /// The answer that `json` spells, or nil.
  public init?(json: [UInt8]) {
    guard let parcel = try? Parcel(json: json) else { return nil }
    self.init(
      exitCode: parcel.exitCode, output: Array(parcel.output.utf8),
      errors: Array(parcel.errors.utf8))
  }

  fileprivate struct Parcel {
    let exitCode: Int32
    let output: String
    let errors: String
  }
}

extension ControlAnswer.Parcel: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    exitCode = try coder.field("exitCode", value?.pointee.exitCode)
    output = try coder.field("output", value?.pointee.output)
    errors = try coder.field("errors", value?.pointee.errors)
  }
}
