// Searches the objects of an account for one text, as each thing that the text may be.
import { shownStatus } from '../parties/beneficiary/response.ts'
import { listEntities } from '../parties/entity/store.ts'
import { findBatches, listBatches } from '../payouts/batch/store.ts'
import { listSums } from '../payouts/lists/list-store.ts'
import { uetrOf } from '../payouts/swift/uetr.ts'
import { findIdsByText } from '../sql/find-by-text.ts'
import { NEWEST, OLDEST } from '../sql/order.ts'
import type { Filters } from '../sql/page.ts'
import type { Tag } from '../sql/sql.ts'
import { accountIn, partsOf, type SearchFilters } from '../values/text/found-by.ts'
import { type Asked, readSearch } from './rules.ts'
import type { Found, FoundObject, Hit, Match } from './search.ts'
import {
  type Compared,
  findByAmount,
  findByAttempt,
  findByBankReference,
  findByDigest,
  findShownBeneficiaries,
  findShownEntities,
  findShownPayouts,
} from './store.ts'

/** The most results of each kind of object. */
const MOST_FOUND = 20
/** One more shows that there are more. */
const LIMIT = MOST_FOUND + 1
/** The most payees whose account numbers are compared: other values can end in the same digits. */
const MOST_ENDINGS = 200

interface Hits {
  readonly hits: readonly Hit[]
  readonly has_more?: boolean
  readonly newest_only?: Match
}

/** Looks for the text as one thing that it may be. Finds nothing where it cannot be that. */
type Way = (sql: Tag, account_id: string, asked: Asked) => Promise<Hits>

const NOTHING: Hits = { hits: [] }

/** The most exact ways first. */
const WAYS: readonly Way[] = [
  byId,
  byUetr,
  byReference,
  byBankReference,
  byAccount,
  (sql, account_id, { email }) => byWords(sql, account_id, 'email', email),
  byAmount,
  (sql, account_id, { name }) => byWords(sql, account_id, 'name', name),
]

export async function search(sql: Tag, account_id: string, text: string): Promise<Found> {
  const asked = readSearch(text)
  const answers = await Promise.all(WAYS.map(way => way(sql, account_id, asked)))
  const matched = new Map<string, Match>()
  for (const { id, matched: as } of answers.flatMap(({ hits }) => hits)) {
    if (!matched.has(id)) matched.set(id, as)
  }
  const kinds = Map.groupBy(matched.keys(), id => id.slice(0, 3))
  const shown = [...kinds.values()].flatMap(ids => ids.slice(0, MOST_FOUND))
  const objects = await findShown(sql, account_id, shown)
  return {
    results: [...matched].flatMap(([id, as]) => {
      const object = objects.get(id)
      return object === undefined ? [] : [{ ...object, id, matched: as }]
    }),
    has_more: shown.length < matched.size || answers.some(({ has_more }) => has_more === true),
    newest_only: answers.flatMap(({ newest_only }) => newest_only ?? []),
  }
}

const hitsOf = (ids: readonly string[], matched: Match): Hit[] => ids.map(id => ({ id, matched }))

async function byId(sql: Tag, account_id: string, { id }: Asked): Promise<Hits> {
  if (!id.startsWith('poq_')) return { hits: id === '' ? [] : hitsOf([id], 'id') }
  return { hits: hitsOf(await payoutsWith(sql, account_id, { quote: [id] }), 'quote') }
}

async function byUetr(sql: Tag, account_id: string, { uetr }: Asked): Promise<Hits> {
  if (uetr === '') return NOTHING
  const sent = await findByAttempt(sql, account_id, uetr)
  if (sent !== undefined) return { hits: hitsOf([sent], 'uetr') }
  // Of a sandbox no attempt is stored. The bits before the version are those of the digest.
  const digits = uetr.replaceAll('-', '').slice(0, 12)
  const { ids, is_cut } = await findByDigest(sql, account_id, digits, LIMIT)
  const hits = hitsOf(
    ids.filter(id => uetrOf(id) === uetr),
    'uetr',
  )
  return { hits, ...(is_cut && hits.length === 0 && { newest_only: 'uetr' as const }) }
}

async function byReference(sql: Tag, account_id: string, { reference }: Asked): Promise<Hits> {
  if (reference.length > MOST_REFERENCE) return NOTHING
  const wanted = wantedBy({ reference_id: [reference] })
  const parts = partsOf({ reference: [reference] })
  const [payouts, payees, ...lists] = await Promise.all([
    payoutsWith(sql, account_id, wanted.filters),
    findIdsByText(sql, 'beneficiaries', account_id, parts, LIMIT),
    listEntities(sql, account_id, wanted),
    listBatches(sql, account_id, wanted),
  ])
  const others = lists.flatMap(page => page?.rows.map(({ id }) => id) ?? [])
  return { hits: hitsOf([...payouts, ...payees, ...others], 'reference_id') }
}

/** The longest `reference_id` of an object. */
const MOST_REFERENCE = 128

async function byBankReference(
  sql: Tag,
  account_id: string,
  { id, reference }: Asked,
): Promise<Hits> {
  if (id !== '') return NOTHING
  const found = await findByBankReference(sql, account_id, reference, LIMIT)
  return comparedHits(found, 'bank_reference')
}

async function byAmount(sql: Tag, account_id: string, { amounts }: Asked): Promise<Hits> {
  if (amounts.length === 0) return NOTHING
  return comparedHits(await findByAmount(sql, account_id, amounts, LIMIT), 'amount')
}

function comparedHits({ ids, is_cut }: Compared, matched: Match): Hits {
  return { hits: hitsOf(ids, matched), ...(is_cut && { newest_only: matched }) }
}

/** Payees with this account number, or whose number ends so, and the payouts to them. */
async function byAccount(sql: Tag, account_id: string, { account }: Asked): Promise<Hits> {
  if (account === '') return NOTHING
  const parts = partsOf({ account_ending: [account] })
  const ids = await findIdsByText(sql, 'beneficiaries', account_id, parts, MOST_ENDINGS)
  const payees = await findShownBeneficiaries(
    sql,
    ids.map(id => ({ account_id, id })),
  )
  const numbers = new Map(payees.map(({ id, found_by }) => [id, accountIn(found_by)]))
  const whole = ids.filter(id => numbers.get(id) === account)
  const ending = ids.filter(id => numbers.get(id) !== account && numbers.get(id)?.endsWith(account))
  const [first, second] = await Promise.all([
    toPayees(sql, account_id, whole, 'account_number'),
    toPayees(sql, account_id, ending, 'account_ending'),
  ])
  return { hits: [...first, ...second], has_more: ids.length === MOST_ENDINGS }
}

/** Beneficiaries and entities by an e-mail address or a name, and payouts to the beneficiaries. */
async function byWords(
  sql: Tag,
  account_id: string,
  matched: 'email' | 'name',
  text: string,
): Promise<Hits> {
  if (text === '') return NOTHING
  const filters: SearchFilters = matched === 'email' ? { email: [text] } : { name: [text] }
  const parts = partsOf(filters)
  const [payees, entities] = await Promise.all([
    findIdsByText(sql, 'beneficiaries', account_id, parts, LIMIT),
    findIdsByText(sql, 'entities', account_id, parts, LIMIT),
  ])
  const hits = await toPayees(sql, account_id, payees, matched)
  return { hits: [...hits, ...hitsOf(entities, matched)] }
}

/** The newest of these payees, and the newest payouts to them. */
async function toPayees(
  sql: Tag,
  account_id: string,
  payees: readonly string[],
  matched: Match,
): Promise<Hit[]> {
  if (payees.length === 0) return []
  const few = payees.slice(0, LIMIT)
  const payouts = await payoutsWith(sql, account_id, { beneficiary: few })
  return hitsOf([...payouts, ...few], matched)
}

/** The ids of the newest payouts that fit. */
async function payoutsWith(sql: Tag, account_id: string, filters: Filters): Promise<string[]> {
  const { rows } = await listSums(sql, account_id, wantedBy(filters), LIMIT)
  return rows.map(({ id }) => id)
}

function wantedBy(filters: Filters) {
  return { limit: LIMIT, above: OLDEST, below: NEWEST, filters, cursor: null }
}

type Shown = Omit<FoundObject, 'matched'>

/** The objects of the account with these ids, by id; other ids have none. */
async function findShown(
  sql: Tag,
  account_id: string,
  ids: readonly string[],
): Promise<Map<string, Shown>> {
  const keysWith = (prefix: string) =>
    ids.filter(id => id.startsWith(`${prefix}_`)).map(id => ({ account_id, id }))
  const [payouts, beneficiaries, entities, batches] = await Promise.all([
    findShownPayouts(sql, keysWith('pot')),
    findShownBeneficiaries(sql, keysWith('bnf')),
    findShownEntities(sql, keysWith('ent')),
    findBatches(sql, keysWith('pob')),
  ])
  const without = { amount: null, currency: '', reference_id: '' }
  const shown: Shown[] = [
    ...payouts.map(row => ({ ...row, object: 'payout' as const, name: row.name ?? '' })),
    ...beneficiaries.map(({ status, approval, ...row }) => ({
      ...{ ...without, ...row, object: 'beneficiary' as const, name: row.name ?? '' },
      status: shownStatus(approval, status ?? 'active'),
    })),
    ...entities.map(({ approval_status: status, ...row }) => {
      return { ...without, ...row, object: 'entity' as const, name: row.name ?? '', status }
    }),
    ...batches.map(({ id, created_at, reference_id, created, held, refused }) => ({
      ...{ ...without, id, created_at, reference_id, object: 'payout_batch' as const, name: '' },
      status: refused === 0 ? 'created' : created + held === 0 ? 'refused' : 'partly_refused',
    })),
  ]
  return new Map(shown.map(object => [object.id, object]))
}
