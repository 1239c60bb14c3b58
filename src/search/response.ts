// A search as callers see it.
import { integerOrNull, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { amountToJson } from '../values/money/json.ts'
import { FOUND_OBJECTS, type Found, type FoundObject, MATCHES, type Match } from './search.ts'

const Matched = Type.Unsafe<Match>({
  type: 'string',
  enum: [...MATCHES],
  'x-extensible-enum': [...MATCHES],
  description:
    'What the text was found as. `quote`: the payout uses the quote of this id. ' +
    '`account_ending`: the account number of the payee ends so. A payout is also found by the ' +
    'present name, account number and e-mail address of its beneficiary, and by its amount, its ' +
    'destination amount and its debit with fees.',
})

export const FOUND_MEMBERS = {
  id: Type.String(),
  name: Type.String({ description: 'Of the payee or the entity; empty for a batch.' }),
  amount: integerOrNull({
    description: 'What a payout pays, in minor units of `currency`; null for other objects.',
  }),
  currency: Type.String({ description: 'Empty without an amount.' }),
  status: Type.String({
    description:
      'The state of the object. A batch is `created`, `partly_refused` or `refused`. More values ' +
      'may be added.',
  }),
  reference_id: Type.String({ description: 'Your own reference; empty without one.' }),
  matched: Matched,
  created_at: Timestamp,
}

export const SearchResult = Type.Object(
  { object: Literals(FOUND_OBJECTS), ...FOUND_MEMBERS },
  { title: 'SearchResult', description: 'An object that a search has found.' },
)

export const SEARCH_BOUNDS = {
  has_more: Type.Boolean({ description: 'Whether more objects match: send more of the text.' }),
  newest_only: Type.Array(Matched, {
    description:
      'By what only the newest 10,000 payouts of the account were compared, because it has more. ' +
      'Empty: all were compared.',
  }),
}

export const SearchResponse = Type.Object(
  {
    object: Type.Literal('search'),
    ...SEARCH_BOUNDS,
    results: Type.Array(SearchResult, {
      description: 'The most exact matches first, 20 of each kind of object at most.',
    }),
  },
  { title: 'Search', description: 'What a text was found as.' },
)

export function presentFound({ has_more, newest_only, results }: Found) {
  return { object: 'search', has_more, newest_only, results: results.map(presentResult) }
}

export function presentResult(found: FoundObject) {
  const { object, id, name, currency, status, reference_id, matched, created_at } = found
  const amount = found.amount === null ? null : amountToJson(found.amount)
  return { object, id, name, amount, currency, status, reference_id, matched, created_at }
}
