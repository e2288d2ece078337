internal import CivilTime
internal import Digests

/// What names a rules document and proves its text.
struct RulesIdentity {
  let version: String
  let effectiveFrom: Day
  let effectiveFromLine: Int
  let corrects: String?
  let sha256: Digest
  let canonicalText: String
}
