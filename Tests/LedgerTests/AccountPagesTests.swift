import CivilTime
import RewardRules
import TestSupport
import Testing

@testable import Ledger

/// Accounts in pages.
@Suite(.offThePool) struct AccountPagesTests {
  private static func account(_ number: Int) -> Account {
    Account(id: "u\(number)", zone: 0, boundary: .earliest, boundaryDay: Day(number: 0))
  }

  @Test(arguments: [0, 1, 1_023, 1_024, 1_025, 3_000])
  func theyAreAListOfAccounts(count: Int) {
    let accounts = (0..<count).map(Self.account)
    let pages = AccountPages(accounts)
    #expect(pages.count == count)
    #expect(pages.elementsEqual(accounts))
    #expect(pages.pages.dropLast().allSatisfy { $0.count == AccountPages.pageSize })
  }

  @Test func aChangeBesideACopyCopiesOnePage() {
    func addresses(_ pages: AccountPages) -> [UnsafePointer<Account>?] {
      pages.pages.map { $0.withUnsafeBufferPointer(\.baseAddress) }
    }
    var pages = AccountPages((0..<3_000).map(Self.account))
    let held = pages
    let before = addresses(pages)
    pages[1_500].holdings.earned.points = 7
    #expect(zip(addresses(pages), before).map { $0 == $1 } == [true, false, true])
    #expect(addresses(held) == before)
    #expect(held[1_500].holdings.earned.points == 0 && pages[1_500].holdings.earned.points == 7)
    #expect(zip(held, pages).count { $0 != $1 } == 1)
  }
}
