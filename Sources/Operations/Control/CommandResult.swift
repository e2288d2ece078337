internal import Described

/// The output and exit code of a command or program: of a job, or sent back by the service.
package struct CommandResult: Sendable, Equatable {
  /// 0 for done, 1 for done but needing attention, others as in sysexits.
  package let exitCode: Int32
  /// The bytes written to standard output.
  package let output: [UInt8]
  /// The bytes written to standard error.
  package let errors: [UInt8]

  package init(exitCode: Int32, output: [UInt8], errors: [UInt8]) {
    self.exitCode = exitCode
    self.output = output
    self.errors = errors
  }

  /// The answer as JSON, with the output as text.
  package var json: [UInt8] {
    Parcel(
      exitCode: exitCode, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self)
    ).json
  }

  /// Creates the answer that `json` encodes; nil when it encodes none.
  package init?(json: [UInt8]) {
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

extension CommandResult.Parcel: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    exitCode = try coder.field("exitCode", value?.pointee.exitCode)
    output = try coder.field("output", value?.pointee.output)
    errors = try coder.field("errors", value?.pointee.errors)
  }
}
