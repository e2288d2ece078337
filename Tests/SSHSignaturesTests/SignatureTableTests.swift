import CivilTime
import Foundation
import TestSupport
import Testing

@testable import SSHSignatures

/// The judgements of ssh-keygen itself.
@Suite(.offThePool) struct SignatureTableTests {
  private struct Row: Decodable {
    let name: String?
    let principal: String
    let message: Data
    let signature: String
    let allowedSigners: String
    /// `YYYYMMDDHHMMSSZ`; nil if the time does not matter.
    let at: String?
    let valid: Bool
    /// Why we refuse what ssh-keygen takes.
    let stricter: String?
  }

  private struct Table: Decodable {
    let rows: [Row]

    /// Reads a file of `Tables`.
    init(named name: String) throws {
      let file = try #require(
        Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Tables"))
      self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }
  }

  /// Why the row's signature does not count; nil if it does.
  private static func refusal(_ row: Row) throws -> SignatureRefusal? {
    let time = SignerTime(naiveZone: nil, option: "at", line: 0)
    let instant = try row.at.map { try time.parse(Array($0.utf8), laterOfTwo: false) }
    do throws(SignatureRefusal) {
      let signature = try SSHSignature(armoured: Array(row.signature.utf8))
      _ = try AllowedSigners(Array(row.allowedSigners.utf8)).signer(
        of: Array(row.message), by: signature, namespace: "rewards",
        at: instant ?? Instant(seconds: 1_790_000_000), as: row.principal)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["sshsig", "keygen"])
  func whatCountsIsWhatSSHKeygenTakes(table: String) throws {
    let rows = try Table(named: table).rows
    #expect(rows.count > 10)
    #expect(rows.contains { $0.valid } && rows.contains { !$0.valid })
    for row in rows {
      let refusal = try Self.refusal(row)
      #expect(
        (refusal == nil) == row.valid, "\(row.name ?? row.allowedSigners): \(refusal as Any)")
    }
  }

  @Test func whatWeRefuseAndSSHKeygenTakesIsRefusedForTheReasonNamed() throws {
    let rows = try Table(named: "keygen").rows.filter { $0.stricter != nil }
    #expect(!rows.isEmpty)
    for row in rows {
      let refusal = try #require(try Self.refusal(row))
      #expect(refusal.reason.rawValue == row.stricter)
    }
  }

  @Test(arguments: [
    ("empty", "armour"), ("no armour", "armour"), ("CRLF", "armour"), ("wrong magic", "magic"),
    ("bytes behind", "trailing-bytes"), ("signed for git", "namespace"),
    ("nobody allowed", "unknown-key"), ("pattern that does not fit", "principal"),
    ("ecdsa p-384 (valid for ssh-keygen; not a kind that is taken here)", "key-kind"),
  ])
  func refusalsHaveTheRightName(name: String, reason: String) throws {
    let row = try #require(try Table(named: "sshsig").rows.first { $0.name == name })
    let refusal = try #require(try Self.refusal(row))
    #expect(refusal.reason.rawValue == reason)
    #expect(refusal.description.contains("; "))
  }
}
