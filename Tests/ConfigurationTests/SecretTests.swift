import Configuration
import Foundations
import TestSupport
import Testing

@Suite(.offThePool) struct SecretTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func error(_ reference: SecretReference) -> SecretError? {
    do throws(SecretError) {
      _ = try reference.resolve(environment: ["EMPTY": "  "], in: PosixFileSystem())
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [0o640, 0o604, 0o644, 0o660, 0o620])
  func refusesAFileThatOthersCanOpen(mode: Int) throws {
    let file = try folder.write("token", "tell-tale", mode: mode)
    let found = error(.file(file))
    #expect(found?.what == "cannot be used: others may read it; run: chmod 600 \(file)")
  }

  @Test func refusesWhatIsMissingOrEmpty() throws {
    #expect(error(.environment("NONE"))?.what == "is not set")
    #expect(error(.environment("EMPTY"))?.what == "is empty")
    #expect(error(.file(try folder.write("empty", "\n")))?.what == "is empty")
    #expect(
      error(.file("\(folder.path)/none"))?.what == "cannot be used: No such file or directory")
  }

  @Test func spaceAroundIsNotPartOfIt() throws {
    let file = try folder.write("token", "tell tale\r\n")
    let secret = try SecretReference.file(file).resolve(environment: [:], in: PosixFileSystem())
    #expect(secret.bytes == Array("tell tale".utf8))
  }

  @Test func isMaskedHoweverItIsPrinted() throws {
    let secret = try SecretReference.environment("TOKEN").resolve(
      environment: ["TOKEN": "telltale"], in: PosixFileSystem()
    )
    var dumped = ""
    dump(secret, to: &dumped)
    dump([secret], to: &dumped)
    let numbers = secret.bytes.map { "\($0)" }.joined(separator: ", ")
    for text in [
      "\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)",
    ] {
      #expect(!text.contains("telltale"))
      #expect(!text.contains(numbers))
    }
  }
}
