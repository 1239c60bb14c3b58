// Troubles of rails that pay on chains: what keeps payments waiting, in words, and the command that
// comes next. Pure.
import type { Instant } from '../../values/instant.ts'

const TITLES = {
  no_funds: 'a wallet has too little of the token, and payouts wait',
  no_gas: 'a wallet has too little of the native coin for gas',
  wallet_frozen: 'the issuer of the token has frozen our wallet: nothing leaves it',
  token_paused: 'the token moves for nobody, and payouts wait',
  stuck: 'a payment is not mined, and its fee may not rise any more',
  not_final: 'a block with a payment does not become final',
  cap: 'payouts wait at a cap of the settings',
  foreign_transaction: 'another transaction has a nonce of ours: the wallet is stopped',
  history_lost: 'the chain knows more of the wallet than the database: the wallet is stopped',
  providers_disagree: 'providers contradict each other: nothing is signed',
  other_chain: 'a provider is on another chain: its answers do not count',
  provider_wrong: 'a provider contradicts the others: its answers do not count',
  chain_stopped: 'the chain has no new block: nothing is signed',
  no_quorum: 'too few providers answer alike: nothing is signed or ends',
  unclear: 'providers or a signer say nothing clear, and payouts wait',
  no_wallet: 'no wallet may sign, and payouts wait',
  not_working: 'the work on the chain fails',
} as const
export type TroubleKind = keyof typeof TITLES

export interface NewTrouble {
  /** The address of a wallet; '' for the whole rail. */
  readonly wallet: string
  readonly kind: TroubleKind
  readonly message: string
}

export interface FoundTrouble extends NewTrouble {
  readonly rail: string
  readonly since: Instant
}

/** The kinds that a hand-over judges, and those that the watch judges once a minute. */
export const OF_HAND_OVER = ['no_funds', 'token_paused', 'cap', 'unclear', 'no_wallet'] as const
/** Those of the chain as a whole, while which no payment is signed. */
export const OF_CHAIN = ['providers_disagree', 'chain_stopped'] as const
export const OF_WATCH = [
  ...['no_gas', 'wallet_frozen', 'stuck', 'not_final', 'no_quorum'],
  ...['other_chain', 'provider_wrong'],
  ...OF_CHAIN,
] as const satisfies readonly TroubleKind[]

/** The trouble in words: the title of its kind, and what was found. */
export function troubleWords({ kind, message }: NewTrouble): string {
  return `${TITLES[kind]} (${message})`
}

/** The command to run once a person knows the cause. */
export function nextStep({ kind, rail }: Pick<FoundTrouble, 'kind' | 'rail'>): string {
  switch (kind) {
    case 'stuck':
      return 'corridor rail void PAYOUT --fail --reason …'
    case 'wallet_frozen':
      return `corridor rail pause ${rail} --reason …`
    case 'history_lost':
      return `corridor rail adopt ${rail} --reason …`
    case 'providers_disagree':
    case 'provider_wrong':
    case 'no_quorum':
    case 'other_chain':
      return `corridor rail check ${rail}`
    case 'foreign_transaction':
    case 'not_final':
    case 'unclear':
    case 'no_wallet':
    case 'no_funds':
    case 'no_gas':
    case 'token_paused':
    case 'cap':
    case 'chain_stopped':
    case 'not_working':
      return `corridor rail show ${rail}`
  }
}
