// Pricing policies: spread, validity of quotes, how far ahead a price holds, age of rates, pivot.
import type { Static } from 'typebox'
import {
  Closed,
  CurrencyCode,
  Literals,
  optional,
  Text,
  Timestamp,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import {
  judgeFrom,
  judgePolicies,
  MAX_SECONDS,
  MAX_SPREAD_BPS,
} from '../prices/policy/asked-policy.ts'
import { findMistake } from '../prices/policy/guard.ts'
import {
  DEFAULTS,
  describeChange,
  describeScope,
  INSTALLATION,
  indexPolicies,
  inForce,
  type NewPolicy,
  ownInForce,
  POLICY_NAMES,
  type Policies,
  rowsOf,
  SANDBOX_DEFAULTS,
  type Scope,
} from '../prices/policy/rules.ts'
import { deletePolicy, insertPolicies, listPolicies, lockPolicies } from '../prices/policy/store.ts'
import { databaseNow, type Sql, type TransactionSql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import { type Acting, type ActionGroup, reading, writing } from './action.ts'
import { accountNamed } from './operator-write.ts'
import { AccountId, ForceMistake, Time } from './request.ts'

const SetPricing = Closed(
  optional({
    spread_bps: Type.Integer({ minimum: 0, maximum: MAX_SPREAD_BPS }),
    quote_validity_s: Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
    schedule_s: Type.Integer({ minimum: 0, maximum: MAX_SECONDS }),
    max_age_s: Text(10, { minLength: 1, description: 'Seconds as text, or `calendar`.' }),
    pivot: CurrencyCode,
    account_id: AccountId,
    from_currency: CurrencyCode,
    to_currency: CurrencyCode,
    from: Time('When it begins; by default now.'),
    force: ForceMistake,
  }),
  {
    title: 'SetPricing',
    description: 'Without an account and a pair, the setting is for the whole installation.',
  },
)
const EndPricing = Closed(
  {
    policy_id: Type.Integer({
      minimum: 1,
      maximum: 999_999_999,
      description: 'The id of the row.',
    }),
    from: Type.Optional(Time('When it ends; by default now.')),
  },
  { title: 'EndPricing' },
)

const POLICY = {
  policy_id: Type.Integer(),
  name: Literals(POLICY_NAMES),
  account_id: textOrNull(),
  from_currency: textOrNull(),
  to_currency: textOrNull(),
  value: textOrNull({ description: 'Null: from then on the row has no value of its own.' }),
  effective_from: Timestamp,
}

const PolicyRow = Type.Object(POLICY, { title: 'PricingPolicy' })

const PricingList = Type.Object(
  {
    defaults: Type.Array(
      Type.Object({
        name: Literals(POLICY_NAMES),
        value: Type.String(),
        sandbox_value: Type.String(),
      }),
      {
        description:
          'What applies where nothing is set for the whole installation, for live accounts ' +
          'and for sandboxes.',
      },
    ),
    rows: Type.Array(Type.Object({ ...POLICY, state: Literals(['waits', 'in force'] as const) })),
  },
  {
    title: 'Pricing',
    description: 'The pricing that is in force, and the pricing that begins later.',
  },
)

const SetPolicies = Type.Object(
  { rows: Type.Array(PolicyRow) },
  { title: 'SetPolicies', description: 'The rows that were set.' },
)

const RemovedPolicy = Type.Object(
  {
    removed: PolicyRow,
    taken_back: Type.Boolean({
      description: 'True if the row had not begun and is removed; false if it now has an end.',
    }),
  },
  { title: 'RemovedPolicy' },
)

const list = reading({
  name: 'pricing list',
  path: '/v3/operator/pricing',
  operationId: 'listPricing',
  summary: 'List the spreads, the validity of quotes, the age of rates and the pivot currency.',
  response: PricingList,
  find: listPricing,
  command: {
    words: ({ defaults, rows }) => [
      ...defaults.flatMap(({ name, value, sandbox_value }) => [
        defaultRow(describeScope(INSTALLATION), name, value),
        ...(sandbox_value === value ? [] : [defaultRow('sandboxes', name, sandbox_value)]),
      ]),
      ...rows.map(({ policy_id, name, value, effective_from: from, state, ...scope }) => ({
        number: String(policy_id),
        for: describeScope(scope),
        name,
        value: value ?? 'nothing',
        from,
        state,
      })),
    ],
    help: '\nExample:\n  corridor pricing list',
  },
})

function defaultRow(scope: string, name: string, value: string) {
  return { number: '', for: scope, name, value, from: '', state: 'default' }
}

const SET_HELP = `
Without an account and a pair it is for the whole installation. What is set for
a pair goes before what is set for an account, and what is set for a pair of an
account before both; each value for itself. A pair is directed: USD/HKD is what
those who pay HKD from USD get.

A likely mistake is refused without --force: a spread over 500 bps, or over
three times the present one; a validity over a day; a price that is fixed for
over thirty days; an age over seven days.

Examples:
  corridor pricing set --spread-bps 50
  corridor pricing set --spread-bps 30 --account acc_7k2m9x4q \\
    --from-currency USD --to-currency HKD --from 2026-12-01T00:00:00Z
  corridor pricing set --max-age-s calendar --quote-validity-s 600`

const set = writing({
  name: 'pricing set',
  path: '/v3/operator/pricing',
  operationId: 'setPricing',
  summary: 'Set a spread, the validity of quotes, the age of rates or the pivot currency.',
  body: SetPricing,
  asksPassword: true,
  response: SetPolicies,
  refusals: ['currency', 'not_found', 'likely_mistake'],
  run: (acting, asked) => acting.change(sql => setPolicies(acting, sql, asked)),
  command: {
    words: (_, said) => said,
    json: ({ rows }) => rows,
    options: {
      spread_bps: 'basis points that the mid is moved against the customer by',
      quote_validity_s: 'seconds a quote can be used',
      schedule_s: 'seconds ahead to which a payout that converts can be scheduled, 0 for never',
      max_age_s:
        'seconds after which a rate is too old for live accounts, or calendar: by its source',
      pivot: 'currency through which pairs without a rate of their own are crossed',
      account_id: 'for this account alone',
      from_currency: 'with --to-currency: for this conversion alone',
      to_currency: 'with --from-currency: for this conversion alone',
      from: 'ISO 8601 time from which it holds (default: now)',
      force: 'set what is likely a typing mistake',
    },
    help: SET_HELP,
  },
})

const REMOVE_HELP = `
A row that waits is taken back. One in force ends, now or at --from, and what is
set for more holds again. corridor pricing list shows the numbers.

Example:
  corridor pricing remove 7`

const remove = writing({
  name: 'pricing remove',
  path: '/v3/operator/pricing/remove',
  operationId: 'endPricing',
  summary: 'End a row that is in force, or remove a row that has not begun.',
  body: EndPricing,
  asksPassword: true,
  response: RemovedPolicy,
  refusals: ['not_found', 'invalid_transition'],
  run: (acting, { policy_id, from }) =>
    acting.change(sql => endPolicy(acting, sql, policy_id, from)),
  command: {
    words: (_, said) => said,
    json: ({ removed }) => ({ removed }),
    arguments: ['policy_id'],
    options: {
      policy_id: 'the number of the row, as corridor pricing list shows it',
      from: 'ISO 8601 time at which it ends (default: now)',
    },
    help: REMOVE_HELP,
  },
})

export const pricing: ActionGroup = {
  actions: [list, set, remove],
  history: {
    table_name: 'pricing_policies',
    description: 'list what was set, newest first, and what it followed',
    subject: row => `${row.name} of ${describeScope(row as unknown as Scope)}`,
    describe: row => `${row.value ?? 'nothing'} from ${row.effective_from}`,
    example: 'pricing history',
  },
}

/** Refuses likely mistakes (422). */
async function setPolicies(acting: Acting<unknown>, sql: Sql, asked: Static<typeof SetPricing>) {
  const { scope, values } = judgePolicies(asked)
  if (scope.account_id !== null) await accountNamed(sql, scope.account_id)
  return changePolicies(sql, async (tx, policies, now) => {
    const effective_from = judgeFrom(asked.from, now)
    const rows = POLICY_NAMES.flatMap((name): NewPolicy[] => {
      const value = values[name]
      return value === undefined ? [] : [{ ...scope, name, value, effective_from }]
    })
    if (asked.force !== true) refuseMistakes(policies, rows)
    const made = await insertPolicies(tx, rows)
    for (const row of made) acting.say(describeChange(policies, row, now))
    return { rows: made }
  })
}

/** Deletes a row that waits; else ends it by a new row. Refuses (404, 409) other rows. */
function endPolicy(acting: Acting<unknown>, sql: Sql, policy_id: number, from?: string) {
  return changePolicies(sql, async (tx, policies, now) => {
    const row = rowsOf(policies).find(policy => policy.policy_id === policy_id)
    if (row === undefined) throw refusal('not_found', `no row ${policy_id}`)
    if (row.effective_from > now) {
      await deletePolicy(tx, policy_id)
      const { name, value, effective_from } = row
      acting.say(`${name} for ${describeScope(row)}: ${value} from ${effective_from}: taken back`)
      return { removed: row, taken_back: true }
    }
    if (ownInForce(policies, row.name, row, now) !== row || row.value === null) {
      const message = `row ${policy_id} is not in force: another has followed it`
      throw refusal('invalid_transition', message)
    }
    const effective_from = judgeFrom(from, now)
    const made = await insertPolicies(tx, [{ ...row, value: null, effective_from }])
    for (const end of made) acting.say(describeChange(policies, end, now))
    return { removed: row, taken_back: false }
  })
}

/** Those in force or waiting, and the defaults where nothing is set for the installation. */
async function listPricing(sql: Sql) {
  const rows = await listPolicies(sql)
  const now = await databaseNow(sql)
  const policies = indexPolicies(rows)
  const shown = rows.flatMap(row => {
    const waits = row.effective_from > now
    const isInForce = ownInForce(policies, row.name, row, now) === row && row.value !== null
    const state: 'waits' | 'in force' = waits ? 'waits' : 'in force'
    return waits || isInForce ? [{ ...row, state }] : []
  })
  const names = POLICY_NAMES.filter(
    name => inForce(policies, name, INSTALLATION, now) === undefined,
  )
  const defaults = names.map(name => {
    return { name, value: DEFAULTS[name], sandbox_value: SANDBOX_DEFAULTS[name] }
  })
  return { defaults, rows: shown }
}

function changePolicies<T>(
  sql: Sql,
  work: (tx: TransactionSql, policies: Policies, now: Instant) => Promise<T>,
): Promise<T> {
  return sql.begin(async tx => {
    await lockPolicies(tx)
    const policies = indexPolicies(await listPolicies(tx))
    return work(tx, policies, await databaseNow(tx))
  })
}

function refuseMistakes(policies: Policies, rows: readonly NewPolicy[]): void {
  const mistakes = rows.flatMap(row => {
    const present = inForce(policies, row.name, row, row.effective_from)
    return findMistake(row.name, row.value ?? '', present) ?? []
  })
  if (mistakes.length > 0) throw refusal('likely_mistake', mistakes.join('; '))
}
