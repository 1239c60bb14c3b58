// The report of an attempt by its slot, its transactions and its evidence. Pure.
import type { Evidence } from '../../rails/evidence.ts'
import type { RailPayout, RailReport } from '../../rails/rail.ts'
import { plusMilliseconds } from '../../values/instant.ts'
import type { EvmConfig } from './config.ts'
import type { ReportedSlot } from './report-store.ts'
import { askAgainIn, isEnded, reportOf } from './steps.ts'

export interface ReportInput {
  readonly config: Pick<EvmConfig, 'chain'>
  readonly payout: Pick<RailPayout, 'asked_at' | 'attempt'>
  readonly slot: ReportedSlot
  /** In the order of receipt. */
  readonly evidence: readonly Evidence[]
}

export function slotReport(input: ReportInput): RailReport {
  const { config, payout, slot, evidence } = input
  const { asked_at, attempt } = payout
  const age_ms = Math.max(0, Date.parse(asked_at) - Date.parse(slot.made_at))
  const first = slot.transactions.map(({ first_sent_at }) => first_sent_at).find(at => at !== null)
  const { chain } = config
  return {
    ...reportOf(evidence, attempt.number),
    // A foreign transaction may turn out to be none: the receipt is looked for all the same.
    ask_again_in_ms: isEnded(evidence) ? null : askAgainIn(age_ms, chain.block_ms),
    references: referencesOf(input),
    ...(first !== undefined && { released_at: first }),
    ...(slot.nonce !== null && {
      expected_at: plusMilliseconds(slot.made_at, chain.block_ms + chain.final_ms),
    }),
  }
}

/** What proves the payment: anybody may look up its transaction on the chain. */
function referencesOf({ config, slot }: ReportInput): Record<string, string> {
  const { chain } = config
  const { transactions } = slot
  const last = transactions.find(({ block }) => block !== null) ?? transactions.at(-1)
  if (last === undefined || slot.nonce === null) return {}
  const sent = transactions.filter(({ sends }) => sends > 0)
  const replaced = sent.filter(({ hash }) => hash !== last.hash).map(({ hash }) => hash)
  return {
    chain: chain.type,
    transaction: last.hash,
    explorer: `${chain.explorer}${last.hash}`,
    wallet: slot.wallet,
    nonce: String(slot.nonce),
    ...(last.block !== null && { block: String(last.block) }),
    ...(replaced.length > 0 && { replaced: replaced.join(' ') }),
    ...(slot.to_contract && { receiver: 'contract' }),
  }
}
