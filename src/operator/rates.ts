// Lists the rate book with the ages of rates, sets one rate and removes one.
import type { Static } from 'typebox'
import { Closed, CurrencyCode, optional, Text, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { HistoricRow } from '../ledger/audit/store.ts'
import { pricingFrom } from '../prices/book.ts'
import { findFrame, listPolicies } from '../prices/policy/store.ts'
import { changeRates } from '../prices/rate/change.ts'
import { findGaps } from '../prices/rate/gap.ts'
import type { Judged } from '../prices/rate/guard.ts'
import { presentRate, readRate } from '../prices/rate/load.ts'
import { goodUntil, type Rate, RateBook } from '../prices/rate/rules.ts'
import { deleteRate, listRates } from '../prices/rate/store.ts'
import { databaseNow, type Sql } from '../sql/connect.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { secondsBetween } from '../values/instant.ts'
import { describeAge, toSecond } from '../values/text/age.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { checkLines, ForceMistake, Time } from './request.ts'

const PAIR = { base: CurrencyCode, quote: CurrencyCode }

const RatePair = Closed(PAIR, { title: 'RatePair' })

const SetRate = Closed(
  {
    ...PAIR,
    mid: Text(64, {
      minLength: 1,
      description: 'Units of `quote` for one of `base`, mid-market: a plain decimal as text.',
      examples: ['7.81'],
    }),
    ...optional({
      source: Text(200, { minLength: 1, description: 'The source of the rate.' }),
      as_of: Time('The time of the rate; by default now.'),
      peg: Type.Boolean({
        description:
          'Whether `quote` is pegged to `base`, so that its other rates go through `base`.',
      }),
      force: ForceMistake,
    }),
  },
  { title: 'SetRate' },
)

const RATE = {
  base: Type.String(),
  quote: Type.String(),
  mid: Type.String({ description: 'An exact decimal, as text.' }),
  source: Type.String(),
  as_of: Timestamp,
  pegged: Type.Boolean(),
  sample: Type.Boolean({
    description: 'Whether the rate is a sample that came with Corridor, for sandboxes only.',
  }),
}

const GAP =
  'How the row differs from the ratio of the values of its currencies, when it differs by more ' +
  'than the spread; null otherwise. Accounts get the worse of both.'

const RateRow = Type.Object(RATE, { title: 'RateRow' })

export const DatedRate = Type.Object(
  {
    ...RATE,
    age_s: Type.Integer({ description: 'Seconds since `as_of`.' }),
    good_until: textOrNull({
      description: 'Until when live accounts can use the rate; null for ever.',
    }),
    gap: textOrNull({ description: GAP }),
  },
  { title: 'DatedRate' },
)

const rowOrNull = (row: typeof RateRow) => Type.Union([row, Type.Null()])

const ChangedRate = Type.Object(
  {
    ...RATE,
    previous: rowOrNull(RateRow),
    replaced_inverse: rowOrNull(RateRow),
    gaps: Type.Array(Type.String(), { description: 'The gaps that the rate makes, in words.' }),
  },
  { title: 'ChangedRate', description: 'The rate, and the rate that it has replaced.' },
)

const list = reading({
  name: 'rates list',
  path: '/v3/operator/rate',
  operationId: 'listRates',
  summary: 'List the rate book, with the age of each rate and until when it can be used.',
  response: DatedRate,
  list: true,
  find: async audit => (await datedRates(audit)).dated,
  command: {
    words: rates => ({
      rows: rates.map(rate => ({
        base: rate.base,
        quote: rate.quote,
        mid: rate.mid,
        source: rate.source,
        'as of': toSecond(rate.as_of),
        age: describeAge(rate.age_s),
        'good until': describeEnd(rate),
        for: rate.sample ? 'sandboxes' : 'all accounts',
      })),
      ...tailOf(rates.flatMap(({ gap }) => gap ?? [])),
    }),
    none: 'no rate; corridor rates import loads a file of them',
    help: '\nExample:\n  corridor rates list',
  },
})

const SET_HELP = `
Examples:
  corridor rates set USD HKD 7.81 --source treasury
  corridor rates set USD AED 3.6725 --peg`

const set = writing({
  name: 'rates set',
  path: '/v3/operator/rate',
  operationId: 'setRate',
  summary: 'Set one rate.',
  description:
    'A rate is refused as `likely_mistake` if it is older than the present one, pegged, of ' +
    'the inverse pair or far from the present one, unless `force` confirms it.',
  body: SetRate,
  asksPassword: true,
  response: ChangedRate,
  refusals: ['currency', 'likely_mistake'],
  run: (acting, asked) => acting.change(sql => setRate(sql, asked)),
  command: {
    words({ gaps, previous, replaced_inverse, ...rate }) {
      const was = previous && midWords(previous)
      const other =
        replaced_inverse &&
        `${replaced_inverse.base}/${replaced_inverse.quote} ${midWords(replaced_inverse)}`
      const before = [was, other].filter(Boolean).join(' and ')
      const { tail } = tailOf(gaps)
      const words = `${rateWords(rate)}; ${before === '' ? 'a new pair' : `was ${before}`}`
      return tail === undefined ? words : `${words}\n${tail}`
    },
    arguments: ['base', 'quote', 'mid'],
    options: {
      base: 'currency code',
      quote: 'currency code',
      mid: 'units of QUOTE for one of BASE, a plain decimal with at most 30 fractional digits',
      source: 'where the rate comes from (default: operator)',
      as_of: 'ISO 8601 time the rate is of (default: now)',
      peg: 'QUOTE is pegged to BASE at this rate, and crossed through BASE',
      force:
        'replace a rate that is newer, pegged or of the inverse pair, or set one that moved far',
    },
    help: SET_HELP,
  },
})

const remove = writing({
  name: 'rates remove',
  path: '/v3/operator/rate/remove',
  operationId: 'removeRate',
  summary: 'Remove the row of one pair.',
  body: RatePair,
  asksPassword: true,
  response: RateRow,
  refusals: ['currency', 'not_found'],
  run: (acting, { base, quote }) =>
    acting.change(async sql => {
      const removed = await deleteRate(sql, base, quote)
      if (removed !== undefined) return presentRate(removed)
      throw refusal('not_found', `${base}/${quote} has no row of its own`)
    }),
  command: {
    words: rate => `removed ${rateWords(rate)}`,
    json: rate => ({ removed: rate }),
    arguments: ['base', 'quote'],
    options: { base: 'currency code', quote: 'currency code' },
    help: '\nExample:\n  corridor rates remove USD HKD',
  },
})

export const rates: ActionGroup = {
  actions: [list, set, remove],
  history: {
    table_name: 'rates',
    description: 'list what changed in the rate book, newest first',
    argument: { name: 'pair', meaning: 'only this pair, such as EUR/USD', read: readPair },
    subject: row => `${row.base}/${row.quote}`,
    describe: row =>
      `${row.mid} (${row.source}, ${row.as_of}${row.pegged === 'true' ? ', pegged' : ''})`,
    example: 'rates history EUR/USD',
  },
}

function readPair(text: string): HistoricRow {
  const [, base, quote] = /^([A-Z]{3,4})\/([A-Z]{3,4})$/.exec(text.toUpperCase()) ?? []
  if (base !== undefined && quote !== undefined) return { base, quote }
  throw refusal('invalid_field', `a pair is like EUR/USD, not "${text}"`)
}

export async function datedRates(sql: Sql) {
  const rates = await listRates(sql)
  const policies = await listPolicies(sql)
  const now = await databaseNow(sql)
  // The policy of a live account without policies of its own.
  const pricing = pricingFrom({ rates, fees: [], policies })
  const { policyOf } = pricing({ account_id: '', sandbox: false }, now)
  const { pivot, spreadOf } = await findFrame(sql)
  const gaps = findGaps(new RateBook(pivot, rates), spreadOf)
  const dated = rates.map(rate => ({
    ...presentRate(rate),
    gap: gaps.find(gap => gap.rate === rate)?.message ?? null,
    age_s: secondsBetween(rate.as_of, now),
    good_until: goodUntil(rate, policyOf(rate.base, rate.quote).max_age_s)?.good_until ?? null,
  }))
  return { dated, now }
}

/** Refuses (422) a likely mistake that `force` does not confirm. */
async function setRate(sql: Sql, asked: Static<typeof SetRate>) {
  const { base, quote, mid, source = 'operator', as_of = '', peg = false, force = false } = asked
  checkLines({ source }, ['source'])
  const cells = { base, quote, mid, source, as_of }
  const read = readRate(cells, { source: 'operator', now: await databaseNow(sql) })
  refuseIfAny((read.messages ?? []).map(message => invalidField('', message)))
  const value = { ...(read.value as Rate), pegged: peg }
  const options = { force, dry_run: false, ...(await findFrame(sql)) }
  const changed = await changeRates(sql, [{ line: 1, value }], options)
  const [problem] = changed.problems
  const [change] = changed.changes
  if (problem !== undefined) {
    if (!changed.forceable) throw refusal('invalid_field', problem.message, 'peg')
    throw refusal('likely_mistake', `${problem.message}${adviceOf(change)}`)
  }
  if (change === undefined) throw new Error('a rate was set without a change')
  return { ...presentChangedRate(change), gaps: changed.gaps.map(({ message }) => message) }
}

/** What to do in place of confirming. A forced change makes an ordinary rate of a pegged pair. */
function adviceOf(change: Judged | undefined): string {
  const kind = change?.problem?.kind
  if (kind === 'inverse') return '; set that one'
  return kind === 'pegged' && change?.before?.pegged === true
    ? '; say peg to change the peg, or the pair becomes an ordinary one'
    : ''
}

export function presentChangedRate({ rate, before, inverse }: Judged) {
  const orNull = (row: Rate | undefined) => (row === undefined ? null : presentRate(row))
  return { ...presentRate(rate), previous: orNull(before), replaced_inverse: orNull(inverse) }
}

const pegWords = ({ pegged }: { readonly pegged: boolean }) => (pegged ? ', pegged' : '')

const midWords = (rate: ReturnType<typeof presentRate>) => `${rate.mid}${pegWords(rate)}`

function rateWords(rate: ReturnType<typeof presentRate>): string {
  return `${rate.base}/${rate.quote} ${rate.mid} (${rate.source}, ${rate.as_of}${pegWords(rate)})`
}

/** The gaps on lines of their own, after an empty line. */
function tailOf(gaps: readonly string[]): { readonly tail?: string } {
  return gaps.length === 0 ? {} : { tail: `\n${gaps.map(gap => `gap: ${gap}`).join('\n')}` }
}

function describeEnd(rate: Static<typeof DatedRate>): string {
  const { good_until, as_of, age_s, pegged } = rate
  const is_stale = good_until !== null && age_s > secondsBetween(as_of, good_until)
  const words = [pegged && 'pegged', good_until && toSecond(good_until), is_stale && 'stale']
  return words.filter(Boolean).join(', ')
}
