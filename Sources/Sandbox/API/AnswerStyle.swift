import Foundations

/// The style of one answer, drawn from all the variants that the app's API uses.
struct AnswerStyle {
  /// The ways to say that there is nothing.
  enum Nothing: CaseIterable {
    case noContent
    case emptyBody
    case null
    case emptyObject
    case emptyArray
    case nullFields
  }

  let time: TimeStyle
  let nothing: Nothing
  /// Whether a missing value's member is omitted instead of null.
  let leavesNullsOut: Bool
  let numbersAreStrings: Bool
  let hasUnknownFields: Bool
  let isNewestFirst: Bool
}

extension AnswerStyle {
  /// One style, for answers that a person reads.
  static let plain = AnswerStyle(
    time: .isoUTC, nothing: .emptyObject, leavesNullsOut: false, numbersAreStrings: false,
    hasUnknownFields: false, isNewestFirst: false)

  /// Draws a style.
  init(_ random: inout SplitMix64) {
    time = random.pick(TimeStyle.allCases)
    nothing = random.pick(Nothing.allCases)
    leavesNullsOut = random.chance(0.5)
    numbersAreStrings = random.chance(0.3)
    hasUnknownFields = random.chance(0.4)
    isNewestFirst = random.chance(0.5)
  }
}
