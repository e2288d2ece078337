import Described
import Evidence
public import StrictJSON

extension RulesDocument {
  /// The shape of a document as it is written.
  public static let shape = JSONShape.object([
    .init("version", .text(.text)),
    .init("effectiveFrom", .text(.day)),
    .init("corrects", .text(.text), isOptional: true),
    .init("missions", missions, isOptional: true),
    .init("activity", activity, isOptional: true),
    .init("streak", streak, isOptional: true),
    .init("levels", levels, isOptional: true),
    .init(
      "booster", .object([.init("multiplier", .integer(1...1_000), isOptional: true)]),
      isOptional: true),
    .init("catalogue", .map(.list(.text(.text), count: nil)), isOptional: true),
    .init("shop", .list(.text(.text), count: nil), isOptional: true),
    .init("fallback", .object(amounts), isOptional: true),
    .init(
      "limits",
      .object([
        .init("pointsPerUserDay", amount, isOptional: true),
        .init("expPerUserDay", amount, isOptional: true),
      ]), isOptional: true),
  ])

  private static let amount = JSONShape.integer(0...maximumAmount)
  private static let amounts: [JSONShape.Field] =
    RewardUnit.allCases.map { .init($0.rawValue, amount, isOptional: true) }
    + [.init("boosterDays", .integer(0...3_650), isOptional: true)]
  private static let reward = amounts + [.init("item", .text(.text), isOptional: true)]

  private static let missions = JSONShape.object(
    ActivityKind.allCases.filter { $0 != .login }.map { kind in
      let title = JSONShape.Field("title", LocalizedText.shape, isOptional: true)
      let minutes = JSONShape.Field("minMinutes", .integer(1...1_440), isOptional: true)
      return .init(
        kind.name, .object([title] + reward + (kind.lasts ? [minutes] : [])), isOptional: true)
    })

  private static let activity = JSONShape.object([
    .init("counts", .words(["overlaps", "starts"]), isOptional: true),
    .init("toleratedGapSeconds", .integer(0...86_400), isOptional: true),
    .init("openEndHours", .integer(1...168), isOptional: true),
    .init("abandonedAfterHours", .integer(1...8_760), isOptional: true),
  ])

  private static let streak = JSONShape.object([
    .init(
      "countsAs", .list(.words(ActivityKind.allCases.map(\.name)), count: nil), isOptional: true),
    .init("rewards", .list(.object(reward), count: 1...31), isOptional: true),
  ])

  private static let levels = JSONShape.object([
    .init("caps", .list(.integer(1...maximumAmount), count: 1...99), isOptional: true),
    .init("rewards", .map(.object(reward)), isOptional: true),
  ])
}
