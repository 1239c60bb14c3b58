// What a batch of payouts about to be made reads besides its books: the quotes, entities and
// beneficiaries that its requests name, and earlier payouts like them. Sent under the locks of the
// books; decides nothing.
import type { Beneficiary } from '../beneficiary/beneficiary.ts'
import { findBeneficiaries } from '../beneficiary/store.ts'
import type { TransactionSql } from '../db/connect.ts'
import type { Entity } from '../entity/record.ts'
import { approvalsByName } from '../entity/rules.ts'
import { findApprovals, findEntities } from '../entity/store.ts'
import { nameOf, uniqueKeys } from '../id.ts'
import type { Quote } from '../quote/quote.ts'
import { findApprovalsOfQuotes, findQuotes } from '../quote/store.ts'
import { likenessOfRequest } from './likeness.ts'
import { findLikenesses } from './likeness-store.ts'
import type { CreatePayout, Likeness, Likenesses, Principals } from './payout.ts'

export async function loadQuotes(tx: TransactionSql, commands: readonly CreatePayout[]) {
  const keys = quotesNamed(commands)
  const found = keys.length === 0 ? [] : await findQuotes(tx, keys)
  return new Map(found.map((quote): [string, Quote] => [nameOf(quote), quote]))
}

function quotesNamed(commands: readonly CreatePayout[]) {
  return commands.flatMap(({ account_id, request }) =>
    request.quote === undefined ? [] : [{ account_id, id: request.quote }],
  )
}

/** Of the entities that payouts name, and of those that their quotes name. */
export async function loadApprovals(tx: TransactionSql, commands: readonly CreatePayout[]) {
  const quotes = quotesNamed(commands)
  const entities = commands.flatMap(({ account_id, request }) =>
    request.on_behalf_of === undefined ? [] : [{ account_id, id: request.on_behalf_of }],
  )
  const [named, quoted] = await Promise.all([
    entities.length === 0 ? [] : findApprovals(tx, uniqueKeys(entities)),
    quotes.length === 0 ? [] : findApprovalsOfQuotes(tx, quotes),
  ])
  return approvalsByName([...named, ...quoted])
}

/** By `account_id/id`. */
export type Beneficiaries = ReadonlyMap<string, Beneficiary>

export async function loadBeneficiaries(
  tx: TransactionSql,
  commands: readonly CreatePayout[],
): Promise<Beneficiaries> {
  const keys = commands.flatMap(({ account_id, request }) =>
    request.beneficiary === undefined ? [] : [{ account_id, id: request.beneficiary }],
  )
  const found = keys.length === 0 ? [] : await findBeneficiaries(tx, uniqueKeys(keys))
  return new Map(found.map((b): [string, Beneficiary] => [nameOf(b), b]))
}

/**
 * What earlier payouts were like those of these commands, as far as their accounts look for it.
 * Without `beneficiaries`, of those commands that need none.
 */
export function loadLikenesses(
  tx: TransactionSql,
  commands: readonly CreatePayout[],
  beneficiaries: Beneficiaries,
): Promise<Likeness[]> | Likeness[] {
  const wanted = commands.flatMap(({ account_id, account, request }) => {
    if (account.duplicate_window_s === 0 || request.allow_duplicate === true) return []
    const { beneficiary: id } = request
    const details =
      id === undefined
        ? request.beneficiary_details
        : beneficiaries.get(nameOf({ account_id, id }))?.details
    if (details === undefined) return []
    return [{ account_id, likeness: likenessOfRequest(request, details) }]
  })
  return wanted.length === 0 ? [] : findLikenesses(tx, wanted)
}

export function byLikeness(found: readonly Likeness[]): Likenesses {
  return new Map(found.map(l => [nameOf({ account_id: l.account_id, id: l.likeness }), l]))
}

/** The entities that payouts by SWIFT are made for, whose names the messages say. */
export async function loadPrincipals(
  tx: TransactionSql,
  commands: readonly CreatePayout[],
  quotes: ReadonlyMap<string, Quote>,
): Promise<Principals> {
  const keys = commands.flatMap(({ account_id, request }) => {
    const quote = quotes.get(nameOf({ account_id, id: request.quote ?? '' }))
    const id = request.on_behalf_of ?? quote?.entity_id ?? ''
    const type = request.type ?? quote?.payout_type
    return type === 'swift' && id !== '' ? [{ account_id, id }] : []
  })
  const found: Entity[] = keys.length === 0 ? [] : await findEntities(tx, uniqueKeys(keys))
  return new Map(found.map(entity => [nameOf(entity), entity.details]))
}
