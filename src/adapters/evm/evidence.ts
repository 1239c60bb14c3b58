// What the rail has seen of an attempt on the chain, as rows of evidence. Pure.
import type { Evidence, NewEvidence } from '../../rails/evidence.ts'
import type { Hex } from './chain.ts'
import { type SlotKey, sourceOf, type VoidAs } from './slot.ts'

/**
 * `refused`: the rail has refused the attempt before it had a nonce. `sent`: a provider has the
 * bytes. `replaced`: a provider has bytes with higher fees. `mined` and `reorged`: a block has
 * them, and has them no more. `final`, `reverted`, `voided` and `differs` are ends in a final
 * block. `foreign`: another transaction has the nonce.
 */
export const CODES = [
  'refused',
  'sent',
  'replaced',
  'mined',
  'reorged',
  'final',
  'reverted',
  'voided',
  'differs',
  'foreign',
] as const
export type Code = (typeof CODES)[number]

/** Why a rail refuses an attempt, or why a transfer has reverted. */
export const REASONS = [
  /** The issuer of the token has frozen the payee. */
  'frozen',
  /** The token moves for others, and not for this payee. */
  'reverted',
  /** The rail cannot carry it: another chain, another token, our own wallet. */
  'cannot_carry',
] as const
export type RefusedFor = (typeof REASONS)[number]

export interface Facts {
  readonly key: SlotKey
  readonly rail: string
  readonly chain_id: bigint
  readonly code: Code
  /** A reason of REASONS, or what a person has decided about a voided payment. */
  readonly reason?: RefusedFor | VoidAs
  /** Minor units of the currency, of what was paid. */
  readonly amount?: bigint
  readonly currency?: string
  /** The hash of the transaction; '' for none. */
  readonly hash: Hex | ''
  /** The block that it is about. */
  readonly at?: { readonly block: bigint | null; readonly block_hash: string }
  readonly message?: string
}

export function evidenceOf({ key, rail, chain_id, code, hash, ...facts }: Facts): NewEvidence {
  const { at, reason } = facts
  const position = at === undefined ? '' : `${at.block}/${at.block_hash}`
  const { account_id, payout_id, attempt } = key
  return {
    ...{ account_id, payout_id, attempt, rail },
    source: sourceOf(chain_id),
    position,
    // The same transaction in another block is no repeat.
    level: position === '' ? 'transaction' : `block ${position}`,
    code,
    reasons: reason === undefined ? [] : [reason],
    message: facts.message ?? '',
    amount: facts.amount ?? null,
    currency: facts.currency ?? '',
    reference: hash,
    said_at: '',
    detail: {},
  }
}

/** Whether a row has one of our codes: the rail may have been another one's before. */
export function codeOf({ code }: Pick<Evidence, 'code'>): Code | undefined {
  return CODES.find(known => known === code)
}
