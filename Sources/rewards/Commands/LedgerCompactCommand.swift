import Configuration
import Described
import Failures
import LedgerStore
import Operations
import StrictJSON

/// Packs old segments.
struct LedgerCompactCommand: RequestingCommand {
  static let spec = CommandSpec(
    "ledger compact", "pack old segments to save disk space",
    details: """
      Replaces every segment but the newest by a .jsonl.zst file, which all commands read as
      before, with the same hashes; zstd -d restores the segment. It verifies the whole
      ledger first, and compares each packed file with its segment before it removes the
      segment. In a database everything is packed when it is written, so there is nothing to
      do.
      """,
    options: [
      .init("keep", "N", help: "leave the newest N segments as they are (default: 1)")
    ],
    examples: [
      .init("rewards ledger compact", "pack all but the newest segment"),
      .init(
        "rewards ledger compact --keep 4", "keep the last gigabyte as it is for other programs"),
    ])

  static func request(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> CompactionRequest {
    CompactionRequest(
      keeping: try NumberArgument.parse(
        arguments.value("keep") ?? "1", place: "--keep", in: 1...1_000_000))
  }

  private static let output = JSONMembers<[LedgerCompaction.Packed]> {
    $0.list("packed", { $0 }) {
      $0.add("segment", \.segment)
      $0.add("originalBytes", \.originalBytes)
      $0.add("packedBytes", \.packedBytes)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  /// Runs without the ledger's state when there is no service, reading only the segments.
  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let request = try request(arguments, in: context)
    if context.environment.hosted != nil { return try await carryOut(request, in: context) }
    let configuration = try context.configuration()
    do {
      let packed = try await LedgerReading.compact(
        configuration.directory, keeping: request.keeping, command: "rewards ledger compact")
      return show(packed, of: request, in: context)
    } catch let error as LedgerError where error.kind == .locked {
      return try await send(request, in: context, configuration, because: error.failure)
    }
  }

  static func show(
    _ packed: [LedgerCompaction.Packed], of request: CompactionRequest, in context: CommandContext
  ) -> ExitCode {
    let before = packed.reduce(0) { $0 + $1.originalBytes }
    let after = packed.reduce(0) { $0 + $1.packedBytes }
    context.report(packed, as: output) {
      packed.map { "\($0.segment): \($0.originalBytes) bytes, packed \($0.packedBytes)\n" }.joined()
        + "\(Counted.text(packed.count, "segment")) packed, \(before - after) bytes saved\n"
    }
    return .done
  }
}
