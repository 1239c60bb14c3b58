// What a request to pay amounts to: its payee, type, entity and fingerprint. It is derived once
// from the request and the objects that it names; loading and deciding both read it. Pure.
import type { Beneficiary } from '../../parties/beneficiary/beneficiary.ts'
import type { BeneficiaryRequest } from '../../parties/beneficiary/request.ts'
import type { PayoutType } from '../../quotes/quote.ts'
import { NOT_SCREENED } from '../../screening/match.ts'
import { nameOf } from '../../values/id.ts'
import type { Asked, Intent, PayoutState } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'
import { fingerprintOf } from './duplicate.ts'

/** The stored objects that requests name, by `account_id/id`. */
export interface Named {
  readonly quotes: ReadonlyMap<
    string,
    { readonly payout_type: PayoutType; readonly entity_id: string }
  >
  readonly beneficiaries: ReadonlyMap<string, Pick<Beneficiary, 'details'>>
}

const NOTHING: Named = { quotes: new Map(), beneficiaries: new Map() }

/** What a request amounts to by itself. A payee that it names by id is unknown so far. */
export function intentOf(asked: Asked): Intent {
  const details = asked.request.beneficiary_details
  const fingerprint = details === undefined ? null : fingerprintIn(asked, details)
  const terms = { type: 'local', on_behalf_of: '', screened: NOT_SCREENED } as const
  return withNamed({ ...asked, ...terms, details, fingerprint }, NOTHING)
}

/** The intent, completed by the objects that its request names. */
export function withNamed(intent: Intent, { quotes, beneficiaries }: Named): Intent {
  const { account_id, request } = intent
  const quote = quotes.get(nameOf({ account_id, id: request.quote ?? '' }))
  const type = request.type ?? quote?.payout_type ?? 'local'
  const on_behalf_of = request.on_behalf_of ?? quote?.entity_id ?? ''
  const { beneficiary: id } = request
  if (id === undefined) return { ...intent, type, on_behalf_of }
  const details = beneficiaries.get(nameOf({ account_id, id }))?.details
  const fingerprint = details === undefined ? null : fingerprintIn(intent, details)
  return { ...intent, type, on_behalf_of, details, fingerprint }
}

/** What the request amounts to, as loaded. */
export function intentIn(
  { intents }: Pick<PayoutState, 'intents'>,
  request: PayoutRequest,
): Intent {
  const intent = intents.get(request)
  if (intent === undefined) throw new Error('a request is decided that was not loaded')
  return intent
}

function fingerprintIn({ account, request }: Asked, details: BeneficiaryRequest): string | null {
  if (account.duplicate_window_s === 0) return null
  const { amount, currency, reference_id = '' } = request
  return fingerprintOf(details, { amount, currency, reference_id })
}
