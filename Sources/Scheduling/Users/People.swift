package import Ledger
import StrictJSON

/// What asks for acts without a person: nobody knows who wrote the file.
package enum Door: String, Sendable, CaseIterable {
  /// The folder of the inbox.
  case inbox
  /// The roster that a service reads.
  case roster
  /// The configuration, and the rules documents that it names.
  case configuration
}

extension RequestMark {
  /// Returns whether it is unknown which person made it: then a person makes it theirs before another one approves it.
  package func isOfNobody(_ limits: HandLimits) -> Bool {
    BigAct.isNobody(actor, in: reason) || !limits.isKnown(actor, isSigned: isSigned)
  }

  /// Returns whether two people agreed on it.
  package func isOfTwoPeople(_ limits: HandLimits) -> Bool {
    guard let approver, limits.isKnown(approver, isSigned: isApprovalSigned), !isOfNobody(limits)
    else { return false }
    return !limits.mayBeSamePerson(actor, approver)
  }

  /// Returns the exact bytes that a person signs who agrees to it. They hold for this ledger only, and until it is carried out.
  ///
  /// They name no line, because a division of the ledger numbers the lines anew, as taking a wrong future back does.
  package func bytesToSign(_ id: String, ledger: String) -> [UInt8] {
    let text = """
      rewards approval
      ledger \(ledger)
      request \(id), round \(round)
      act \(what)
      reason \(reason)

      """
    // As a terminal shows it, so that people sign what they have read.
    return Array(ShownText.plain(text).utf8)
  }
}

extension HandLimits {
  /// Returns whether two actors may be the same person. An account whose name is given once and omitted the other time distinguishes
  /// nobody, and neither does the key of a signer who is called as the account is.
  func mayBeSamePerson(_ one: String, _ other: String) -> Bool {
    if [one, other].contains(where: { Self.signer(of: $0) != nil }) {
      return !Self.names(of: one).isDisjoint(with: Self.names(of: other))
    }
    return person(one) == person(other) || isNameless(one, in: other)
      || isNameless(other, in: one)
  }

  /// Returns whether one of two actors is the account of the other, who gives a name too.
  func isNameless(_ one: String, in other: String) -> Bool {
    person(other).hasSuffix("(account\(person(one)))")
  }

  /// Returns the names of an actor: a signer's also without the part behind the @, and the key's, because one key is one person.
  private static func names(of actor: String) -> Set<String> {
    let names: [String] =
      if let signer = signer(of: actor) {
        [
          signer, String(signer.prefix { $0 != "@" }),
          String(actor.dropFirst(signer.count)),
        ]
      } else if let named = SecondActor.named(actor) {
        [named.name, named.account]
      } else {
        [actor]
      }
    return Set(names.map { $0.lowercased() })
  }
}
