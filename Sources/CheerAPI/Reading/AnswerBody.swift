internal import Evidence
internal import StrictJSON

/// The body of an answer that holds JSON or nothing.
enum AnswerBody {
  /// What `read` makes of the JSON in `body`; `empty` when there is none, a bad answer when it is no JSON, is nested deeper than 32
  /// levels, or when `read` throws.
  static func outcome(
    of body: [UInt8], empty: LookOutcome,
    _ read: (inout JSONReader) throws(JSONError) -> LookOutcome
  ) -> LookOutcome {
    body.withUnsafeBufferPointer { bytes in
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) { return empty }
      var reader = JSONReader(bytes, depthLimit: 32)
      do throws(JSONError) {
        let outcome = try read(&reader)
        try reader.finish()
        return outcome
      } catch {
        return .failed(.badAnswer)
      }
    }
  }
}
