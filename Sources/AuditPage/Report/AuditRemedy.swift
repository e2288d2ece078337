import CivilTime
import Ledger

/// Remedies for findings.
package enum AuditRemedy {
  private static let dayRemedy =
    "rewards explain tells what was known of the day. Where facts or rules came later, rewards backfill brings the day to what it should be"

  /// Returns what to do about findings of a check, by its number.
  package static func text(ofCheck id: Int) -> String? {
    switch id {
    case 1:
      "rewards ledger verify names segment, line and byte. Keep the folder, put a backup back (rewards ledger restore DIR), and compare."
    case 2:
      "Somebody has written a line that this program does not write, or a later version did. Keep the folder, put a backup back (rewards ledger restore DIR), and compare."
    case 3:
      "One key was granted twice: see both by rewards explain, and take one back with rewards reverse."
    case 4:
      dayRemedy
        + "; a grant whose words do not fit its key was not written by this program: compare a backup."
    case 6: dayRemedy + "."
    case 5:
      "rewards backfill --all --from DAY --to DAY --plan FILE plans what is missing; look at it, then apply it."
    case 7:
      "Was the draw secret or the catalogue changed? rewards doctor compares the secret with the ledger's."
    case 8:
      "Compare the close with the day's grants: rewards ledger export --type close,grant --from DAY --to DAY. Whose day was not closed: rewards reconcile closes it."
    case 9:
      "rewards ledger export --type grant,reversal --user USER shows the chain of corrections."
    case 10:
      "rewards relay status tells what waits and why; rewards relay replay --dead sends again what was given up."
    case 11:
      "rewards jobs audit lists the runs; rewards run JOB.json --due makes up for those that may still be made."
    case 12:
      "A snapshot is a cache: stop the service, move state/ away, start again. The ledger decides."
    case 13:
      "rewards statement tells what this ledger gave a user and why; the class of the difference tells which side lacks it."
    case 14:
      "Nothing need be wrong: rewards user shows the days around it, rewards reverse takes back what was got by cheating."
    case 15:
      "rewards ledger export --manual --user USER shows the acts around it; rewards reverse takes back what nobody stands for."
    case 16:
      "Lines were brought into another shard's ledger: rewards ledger export --shard N --user USER shows them. Stop the workers, and bring a backup into another database (rewards ledger import DIR)."
    case 17:
      "Give all workers the same rules files: rewards store status compares them. Days that are closed get right by a document that corrects the wrong one, and rewards backfill."
    case 18:
      "The guard against many breaks went by too few: look at the closes (rewards ledger export --shard N --type close --from DAY --to DAY), and excuse the day if it was our fault (rewards excuse)."
    case 19:
      "A row is lost: bring a backup of the shard into another database (rewards ledger restore DIR), and compare."
    default: nil
    }
  }

  /// Returns a command line that shows the subject of a finding; nil if it names no user, or one whose name is not safe in a
  /// shell.
  package static func command(for finding: AuditReport.Finding, ofCheck id: Int) -> String? {
    let key = finding.key.map { GrantKey($0) }
    guard let user = finding.user ?? key?.user, isPlain(user) else { return nil }
    let day = finding.day ?? key?.day
    switch id {
    case 5:
      guard let day else { return nil }
      return "rewards backfill --user \(user) --from \(day) --to \(day) --plan plan.json"
    case 13: return "rewards user \(user)"
    default:
      guard let day else { return nil }
      return "rewards explain \(user) \(day)"
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix("-")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_.".utf8.contains(byte)
        }
      }
  }
}
