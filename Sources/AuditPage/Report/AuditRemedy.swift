import CivilTime
import Ledger

/// Remedies for findings.
package enum AuditRemedy {
  private static let dayRemedy =
    "rewards explain shows what was known about the day. If evidence or rules came later, rewards backfill corrects the day"

  /// Returns what to do about findings of a check, by its number.
  package static func text(ofCheck id: Int) -> String? {
    switch id {
    case 1:
      "rewards ledger verify names the segment, line and byte. Keep the folder, restore a backup elsewhere (rewards ledger restore DIR), and compare."
    case 2:
      "This version did not write this line: a later version or somebody else did. Keep the folder, restore a backup elsewhere (rewards ledger restore DIR), and compare."
    case 3:
      "One key was granted twice: compare both with rewards explain, and take one back with rewards reverse."
    case 4:
      dayRemedy
        + "; if a grant contradicts its key, this program did not write it: compare it with a backup."
    case 6: dayRemedy + "."
    case 5:
      "rewards backfill --all --from DAY --to DAY --plan FILE plans what is missing; review the plan, then apply it."
    case 7:
      "Was the draw secret or the catalogue changed? rewards doctor compares the secret with the ledger's."
    case 8:
      "Compare the close with the day's grants: rewards ledger export --type close,grant --from DAY --to DAY. If a user's day was not closed, rewards reconcile closes it."
    case 9:
      "rewards ledger export --type grant,reversal --user USER shows the chain of corrections. This program writes no record of a hand without its act: compare with a backup, and with published heads (rewards audit --heads)."
    case 10:
      "rewards relay status shows what waits and why; rewards relay replay --dead sends dead letters again."
    case 11:
      "rewards jobs audit lists the runs; rewards run JOB.json --due catches up on those that may still run."
    case 12:
      "A snapshot is only a cache: stop the service, move state/ away and start the service again. The ledger decides."
    case 13:
      "rewards statement shows what this ledger gave a user and why; the finding says which side is wrong."
    case 14:
      "This may be right: rewards user shows the days around it; rewards reverse takes back what was gained by cheating."
    case 15:
      "rewards ledger export --manual --user USER shows the acts around it; rewards reverse takes back what nobody can account for."
    case 16:
      "Lines were written to another shard's ledger: rewards ledger export --shard N --user USER shows them. Stop the workers, and import a backup into another database (rewards ledger import DIR)."
    case 17:
      "Give all workers the same rules files: rewards store status compares them. For closed days, load a document that corrects the wrong one, and run rewards backfill."
    case 18:
      "The mass-break guard counted too few streaks: check the closes (rewards ledger export --shard N --type close --from DAY --to DAY), and if the users were not at fault, declare an outage or a pardon (rewards excuse)."
    case 19:
      "A row is lost: restore a backup of the shard into another database (rewards ledger restore DIR), and compare."
    case 20:
      "missed: rewards relay replay --user USER writes what is due. stopped: mend the document, then the same; if its record is gone, add --as written or --as new. unread: see rewards relay status. unexplained: rewards statement USER lists what the ledger knows; what the app gave or sold must be handed in as credits."
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
    case 13, 20: return "rewards user \(user)"
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
