import CivilTime
import Ledger
import TestSupport
import Testing

@Suite(.offThePool) struct KeyTests {
  @Test(arguments: ["Etc/UTC/2026-11-20", "America/Argentina/Salta/2026-11-20", "UTC/0001-01-01"])
  func zoneDaysAreReadAsWritten(text: String) {
    #expect(ZoneDay(text)?.description == text)
  }

  @Test(arguments: ["", "2026-11-20", "Etc/UTC", "Etc/UTC/", "Etc/UTC/2026-02-30"])
  func otherTextsAreNoZoneDays(text: String) {
    #expect(ZoneDay(text) == nil)
  }

  @Test func jobKeysAreReadAsWritten() {
    let key = JobKey(job: "nightly run", zone: "Asia/Tokyo")
    #expect(key.description == "nightly run|Asia/Tokyo")
    #expect(JobKey(key.description) == key)
    #expect(JobKey("nightly") == nil && JobKey("a|b|c") == nil)
  }

  @Test(arguments: [
    ("ann/2026-11-20/gift", "2026-11-20"), ("ann/2026-11-20/gift#2", "2026-11-20"),
    ("ann/level/3", nil), ("ann/manual/2026-11-20", nil), ("ann/2026-11-20", nil), ("ann", nil),
  ])
  func grantKeysNameUserAndDay(text: String, day: String?) {
    let key = GrantKey(text)
    #expect(key.user == "ann")
    #expect(key.day?.description == day)
    #expect(key.isOf("ann") == text.contains("/"))
    #expect(!key.isOf("an") && !key.isOf("anne") && !key.isOf(""))
  }
}
