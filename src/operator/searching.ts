// Searches the objects of all accounts for one text.
import { type AccountListing, listAccountsInFull } from '../accounts/store.ts'
import { Closed, Literals } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { search } from '../search/operations.ts'
import { checkSearch, SearchText } from '../search/request.ts'
import { FOUND_MEMBERS, presentResult, SEARCH_BOUNDS } from '../search/response.ts'
import { readSearch } from '../search/rules.ts'
import { FOUND_OBJECTS, type Found, type FoundObject, MATCHES } from '../search/search.ts'
import { findPaidBy } from '../search/store.ts'
import type { Sql } from '../sql/connect.ts'
import { findAccountOf } from '../sql/keys.ts'
import { moneyWords } from '../values/money/words.ts'
import { toSecond } from '../values/text/age.ts'
import { foundBy, partsOf } from '../values/text/found-by.ts'
import { type ActionGroup, reading } from './action.ts'
import { knownAmong } from './operator-write.ts'
import { AccountId } from './request.ts'

/** The most accounts of one search, which begins with no further one after this time. */
const MOST_ACCOUNTS = 100
const MOST_MS = 5_000
/** How many accounts are searched at the same time. */
const AT_ONCE = 4
const MOST_RESULTS = 50

const OperatorFound = Type.Object(
  {
    account_id: AccountId,
    account_name: Type.String(),
    object: Literals([...FOUND_OBJECTS, 'account'] as const),
    ...FOUND_MEMBERS,
  },
  { title: 'OperatorSearchResult', description: 'An object of an account, or an account.' },
)

export const OperatorSearch = Type.Object(
  {
    object: Type.Literal('search'),
    ...SEARCH_BOUNDS,
    accounts_left_out: Type.Integer({
      description: 'How many accounts were not searched: name one of them by `account_id`.',
    }),
    results: Type.Array(OperatorFound, {
      description: `The most exact matches first, then the newest; ${MOST_RESULTS} at most.`,
    }),
  },
  { title: 'OperatorSearch', description: 'What a text was found as, in all accounts.' },
)

type OfAccount = Omit<FoundObject, 'object'> & {
  readonly object: FoundObject['object'] | 'account'
  readonly account: AccountListing
}

interface FoundInAll extends Pick<Found, 'has_more' | 'newest_only'> {
  readonly accounts_left_out: number
  readonly results: readonly OfAccount[]
}

const searchAll = reading({
  name: 'search',
  path: '/v3/operator/search',
  operationId: 'searchAllAccounts',
  summary: 'Find payouts, payees, entities, batches and accounts by one text.',
  description:
    'Searches each account as `GET /v3/search` does: live accounts first, the newest first, ' +
    `${MOST_ACCOUNTS} at most, and for ${MOST_MS / 1000} seconds. An id, or the bank’s reference ` +
    'of a payout that is over, is found in every account.',
  query: Closed({ q: SearchText, account_id: Type.Optional(AccountId) }),
  response: OperatorSearch,
  refusals: ['invalid_query_parameter', 'not_found'],
  find: (audit, { q, account_id }) => {
    checkSearch({ q })
    return findInAll(audit, q, account_id)
  },
  present: ({ results, ...found }) => ({
    object: 'search',
    ...found,
    results: results.map(({ account, object, ...rest }) => ({
      account_id: account.account_id,
      account_name: account.name,
      ...presentResult({ ...rest, object: object as FoundObject['object'] }),
    })),
  }),
  command: {
    arguments: ['q'],
    words: ({ results }) =>
      results.map(found => ({
        found: found.object.replaceAll('_', ' '),
        id: found.id,
        account: found.account.account_id,
        name: found.name,
        amount: found.amount === null ? '' : moneyWords(found.amount, found.currency),
        status: found.status,
        reference: found.reference_id,
        by: found.matched.replaceAll('_', ' '),
        created: toSecond(found.created_at),
      })),
    none: 'nothing was found',
    options: {
      q: 'an id, a reference, an account number, an amount or a name',
      account_id: 'one account instead of all',
    },
    help: '\nExamples:\n  corridor search "Anna Schmidt"\n  corridor search "1,250.50 EUR"',
  },
})

export const searching: ActionGroup = { actions: [searchAll] }

async function findInAll(
  audit: Sql,
  text: string,
  account_id: string | undefined,
): Promise<FoundInAll> {
  const all = await listAccountsInFull(audit)
  const chosen =
    account_id === undefined
      ? await accountsFor(audit, text, all)
      : [knownAmong('account', account_id, all, one => one.account_id)]
  const answers: Found[] = []
  const results: OfAccount[] = account_id === undefined ? accountsNamed(all, text) : []
  const ends = performance.now() + MOST_MS
  while (answers.length < Math.min(chosen.length, MOST_ACCOUNTS) && performance.now() < ends) {
    const some = chosen.slice(answers.length, answers.length + AT_ONCE)
    const found = await Promise.all(some.map(one => search(audit, one.account_id, text)))
    answers.push(...found)
    for (const [i, account] of some.entries()) {
      results.push(...(found[i]?.results ?? []).map(one => ({ ...one, account })))
    }
  }
  return {
    results: results.toSorted(byExactness).slice(0, MOST_RESULTS),
    has_more: results.length > MOST_RESULTS || answers.some(({ has_more }) => has_more),
    newest_only: [...new Set(answers.flatMap(({ newest_only }) => newest_only))],
    accounts_left_out: chosen.length - answers.length,
  }
}

const TABLES = {
  pot: 'payouts',
  bnf: 'beneficiaries',
  ent: 'entities',
  pob: 'payout_batches',
} as const

/** The account of an id; else those of a bank’s reference, then live ones; the newest first. */
async function accountsFor(
  audit: Sql,
  text: string,
  all: readonly AccountListing[],
): Promise<AccountListing[]> {
  const { id, reference } = readSearch(text)
  const table = Object.entries(TABLES).find(([prefix]) => id.startsWith(`${prefix}_`))?.[1]
  if (table !== undefined) {
    const owner = await findAccountOf(audit, table, id)
    return all.filter(({ account_id }) => account_id === owner)
  }
  const paid = new Set(
    (await findPaidBy(audit, reference, MOST_ACCOUNTS)).map(({ account_id }) => account_id),
  )
  const placeOf = ({ account_id, sandbox }: AccountListing) =>
    paid.has(account_id) ? 0 : sandbox ? 2 : 1
  // From the newest to the oldest, as the list has the oldest first.
  return all.toReversed().toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** The accounts with this id, or whose names have these words. */
function accountsNamed(all: readonly AccountListing[], text: string): OfAccount[] {
  const asked = readSearch(text)
  const parts = asked.name === '' ? [] : partsOf({ name: [asked.name] })
  return all.flatMap(account => {
    const names = foundBy({ names: [account.name] })
    const is_named = parts.length > 0 && parts.every(part => names.includes(part))
    const { account_id: id, state: status, created_at } = account
    if (id !== asked.reference && !is_named) return []
    const matched = id === asked.reference ? 'id' : 'name'
    const without = { amount: null, currency: '', reference_id: '' }
    const shown = { id, name: account.name, status, created_at, matched } as const
    return [{ ...without, ...shown, object: 'account' as const, account }]
  })
}

function byExactness(a: OfAccount, b: OfAccount): number {
  const exactness = MATCHES.indexOf(a.matched) - MATCHES.indexOf(b.matched)
  if (exactness !== 0) return exactness
  return a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0
}
