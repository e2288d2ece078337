import LedgerStore
import Operations
import StrictJSON

/// Packs old segments.
struct LedgerCompactCommand: WritingCommand {
  static let spec = CommandSpec(
    "ledger compact", "pack the segments to which nothing is written any more, to save space",
    details: """
      Every segment but the newest becomes a .jsonl.zst file that all commands read as before, with the
      same hashes; zstd -d gives the segment back. The whole ledger is verified first, and each packed
      file is compared with its segment before that is removed.
      """,
    options: [
      .init("keep", "N", help: "leave the newest N segments as they are (default 1)")
    ],
    examples: [
      .init("rewards ledger compact", "pack all but the newest segment"),
      .init("rewards ledger compact --keep 4", "keep the last gigabyte ready for other programs"),
    ])

  // Nothing is stamped.
  static let needsRightClock = false

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext, at workplace: Workplace
  ) async throws -> ExitCode {
    let keeping = try NumberArgument.parse(
      arguments.value("keep") ?? "1", place: "--keep", in: 1...1_000_000)
    let packed = try await workplace.compact(keeping: keeping)
    let before = packed.reduce(0) { $0 + $1.originalBytes }
    let after = packed.reduce(0) { $0 + $1.packedBytes }
    context.report {
      packed.map { "\($0.segment): \($0.originalBytes) bytes, packed \($0.packedBytes)\n" }.joined()
        + "\(packed.count) segments packed, \(before - after) bytes saved\n"
    } json: { json in
      json.objects("packed", packed) { json, segment in
        json.member("segment", segment.segment)
        json.member("originalBytes", segment.originalBytes)
        json.member("packedBytes", segment.packedBytes)
      }
    }
    return .done
  }
}
