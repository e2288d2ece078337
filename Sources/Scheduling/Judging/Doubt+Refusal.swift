import Evidence
import Ledger

extension Observed.Doubt {
  /// How a doubt is recorded.
  var refusal: (what: Refusal, detail: String) {
    switch self {
    case .badEvidence(let detail): (.badEvidence, detail)
    case .lyingAnswer(let detail): (.lyingAnswer, detail)
    case .endlessActivity(let detail): (.badEvidence, detail)
    }
  }
}
