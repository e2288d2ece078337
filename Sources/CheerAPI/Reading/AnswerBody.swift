internal import Evidence
internal import StrictJSON

/// The body of an answer that is JSON or empty.
enum AnswerBody {
  /// Returns the result of `read` for the JSON in `body`, or `empty` if there is none; a bad answer if it is not JSON, is nested
  /// deeper than 32 levels, or `read` throws.
  static func outcome(
    of body: [UInt8], empty: Look.Outcome,
    _ read: (inout JSONReader) throws(JSONError) -> Look.Outcome
  ) -> Look.Outcome {
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
