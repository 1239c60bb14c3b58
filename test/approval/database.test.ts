// What PostgreSQL holds of approvals, whatever code does: statements of the service's role and of the
// owner that would let a payout go, or count an approval, that nobody has given.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { bankingCountry } from '../../src/parties/beneficiary/country.ts'
import { localNetworksTo } from '../../src/quotes/rules.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { Refusal } from '../../src/values/errors.ts'
import { CURRENCIES } from '../../src/values/money/currency.ts'
import { NETWORKS } from '../../src/values/network/local.ts'
import { verify } from '../../src/verify/run.ts'
import { problemsBesidesActs } from '../support/assert/books.ts'
import { bankBeneficiary, localPayout, overChats } from '../support/given/bodies.ts'
import { approve, digestOf } from '../support/service/approvals.ts'
import {
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { type Statement, Team } from './team.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

/** Undoes a statement that PostgreSQL took. */
class RolledBack extends Error {}

let service: TestService
let team: Team
let id: string
/** Has made each payout, and is an approver. */
let eve: PersonClient
/** A payout that needs two approvals. */
let payout: string
before(async () => {
  service = await startTestService()
  const fund = { USD: 100_000_000n }
  team = new Team(service, await service.openAccount({ currencies: ['USD'], fund }))
  id = team.id
  await team.person('ann', 'approver')
  await team.person('bob', 'approver')
  eve = await team.person('eve', 'maker', 'approver')
  await team.person('val', 'viewer')
  await team.addRule({ approvers: 2 })
})
beforeEach(async () => {
  const made = await team.ask(eve, 'POST', '/v3/payout', { ...localPayout, amount: 1000 })
  assert.equal(made.json.data.status, 'pending_approval', made.text)
  payout = made.json.data.id
})
after(() => service.close())

const decision = (tx: TransactionSql, user: string, digest: string, what = 'approve') => tx`
  insert into approval_decisions
    (decided_at, account_id, payout_id, user_name, decision, digest, reason)
  values (clock_timestamp(), ${id}, ${payout}, ${user}, ${what}, decode(${digest}, 'hex'), '')`

const LETS_GO: readonly (readonly [what: string, statement: Statement, why: RegExp])[] = [
  [
    'its status is written',
    tx => tx`update open_payouts set status = 'processing' where id = ${payout}`,
    /is not approved/,
  ],
  [
    'it is held in its place',
    tx => tx`update open_payouts set status = 'compliance_hold' where id = ${payout}`,
    /is not approved/,
  ],
  [
    'its rail is to be asked',
    tx => tx`update open_payouts set ask_rail_at = now() where id = ${payout}`,
    /approved_before_it_is_sent/,
  ],
  [
    'a person takes it',
    tx => tx`
      update open_payouts set taken_by = 'ann', taken_at = now() where id = ${payout}`,
    /approved_before_it_is_sent|taken_by_hand/,
  ],
  [
    'a rail gets an attempt',
    tx => tx`
      insert into payout_attempts (account_id, payout_id, number, opened_at, asked_at, rail, uetr)
      values (${id}, ${payout}, 1, now(), now(), 'bank', gen_random_uuid()::text)`,
    /is not approved/,
  ],
  ['it is forgotten', tx => tx`delete from open_payouts where id = ${payout}`, /is not approved/],
  [
    'its approval is said to be complete',
    tx => tx`
      update payout_approvals set outcome = 'approved', ended_at = clock_timestamp()
      where payout_id = ${payout}`,
    /has 0 of 2 approvals/,
  ],
  [
    'its approval is said to have expired',
    tx => tx`
      update payout_approvals set outcome = 'expired', ended_at = clock_timestamp()
      where payout_id = ${payout}`,
    /is not expired/,
  ],
  [
    'its maker approves',
    async tx => decision(tx, 'eve', await digestOf(service, payout)),
    /eve has made payout/,
  ],
  [
    'somebody approves who is no approver',
    async tx => decision(tx, 'val', await digestOf(service, payout)),
    /val is no approver/,
  ],
  [
    'something else is approved',
    tx => decision(tx, 'ann', '0'.repeat(64)),
    /is not as it was shown/,
  ],
]

test('PostgreSQL, payout awaiting approval, each statement that would release it: refused for service and owner', async () => {
  for (const [what, statement, why] of LETS_GO) await team.assertRefusesBoth(what, statement, why)
  assert.equal(await team.statusOf(payout), 'pending_approval')
})

const REWRITES: readonly (readonly [what: string, statement: Statement])[] = [
  [
    'fewer approvers',
    tx => tx`update payout_approvals set approvers = 1 where payout_id = ${payout}`,
  ],
  [
    'another digest',
    tx => tx`update payout_approvals set digest = sha256('') where payout_id = ${payout}`,
  ],
  ['another maker', tx => tx`update payout_approvals set made_by = '' where payout_id = ${payout}`],
  [
    'later',
    tx =>
      tx`update payout_approvals set expires_at = now() + interval '1 year' where payout_id = ${payout}`,
  ],
  ['gone', tx => tx`delete from payout_approvals where payout_id = ${payout}`],
  [
    'decisions changed',
    tx => tx`update approval_decisions set user_name = 'bob' where payout_id = ${payout}`,
  ],
  ['decisions gone', tx => tx`delete from approval_decisions where payout_id = ${payout}`],
]

const decide = (user: string, digest?: string) =>
  approve(service, { account_id: id, payout_id: payout, user }, digest ? { digest } : {})

test('PostgreSQL, required approvals and decisions, each statement that rewrites them: refused for service and owner', async () => {
  await decide('ann')
  for (const [what, statement] of REWRITES) await team.assertRefusesBoth(what, statement, /./)
})

test('PostgreSQL, payout pending approval without an approval row at commit: refused for service and owner', async () => {
  const insert: Statement = tx => tx`
    insert into open_payouts select (jsonb_populate_record(o, jsonb_build_object(
      'id', left(o.id, -1) || case right(o.id, 1) when 'z' then 'y' else 'z' end))).*
    from open_payouts o where o.id = ${payout}`
  await team.assertRefusesBoth('inserted', insert, /nobody was asked to approve payout/)
})

const COUNTRYLESS = {
  destination_details: { type: 'bank', bank: { account_number: '12345678' } },
}
/** A quote of the payouts below. */
const QUOTE = {
  payout_info: { currency: 'USD', amount: localPayout.amount },
  destination_info: { currency: 'USD', country: 'HK' },
}
/** The payee with an account in this currency. */
const paidIn = (currency: string) => {
  const { bank } = bankBeneficiary.destination_details
  const destination_details = { type: 'bank', bank: { ...bank, currency } }
  return { ...bankBeneficiary, destination_details }
}
const IN_HKD = { holding_currency: 'USD', currency: 'HKD' }

/** Rules, each with what makes it fit a payout of US dollars to Hong Kong. */
const FITTING: readonly (readonly [rule: object, fields?: Json, quote?: object])[] = [
  [{ currency: 'USD' }],
  [{ currency: 'USD', country: 'HK', payout_type: 'local', network: 'usd_chats' }],
  [{ currency: 'HKD' }, { beneficiary_details: paidIn('HKD') }],
  [{ network: 'fps' }, IN_HKD],
  [{ network: 'chats' }, overChats],
  [{ network: 'usd_chats' }, {}, QUOTE],
  [{ network: 'usd_chats' }, {}, { ...QUOTE, local: { fund_transfer_network: 'usd_chats' } }],
  [{ country: 'HK' }],
  [{ country: 'HK' }, {}, QUOTE],
  [{ country: 'DE' }, { details: COUNTRYLESS }],
  [{ network: 'ach' }, { details: COUNTRYLESS }],
]

/** Rules that do not fit let the row in: the service would else try for ever. */
async function assertLetsIn(other: Team, statement: Statement): Promise<void> {
  const rolledBack = async (tx: TransactionSql) => {
    await statement(tx)
    throw new RolledBack()
  }
  for (const rule of [
    { currency: 'CHF' },
    { network: 'sepa' },
    { country: 'FR', currency: 'CHF' },
  ]) {
    const remove = await other.addRule(rule)
    await assert.rejects(other.asOwner(rolledBack), RolledBack)
    await remove()
  }
}

test('PostgreSQL, payout that needs approval by type, currency, network or country, inserted as processing: refused for service and owner', async () => {
  const fund = { USD: 1_000_000n }
  const other = new Team(service, await service.openAccount({ currencies: ['USD'], fund }))
  await service.setRates({ 'USD/HKD': '7.8' })
  for (const [rule, { details, ...fields } = {}, quote] of FITTING) {
    const quotes: string[] = []
    for (let i = 0; quote !== undefined && i < 2; i++)
      quotes.push((await other.account.post('/v3/payout/quote', quote)).json.id)
    const named = quotes[0] === undefined ? {} : { quote: quotes[0] }
    const body = { ...localPayout, ...fields, ...named, allow_duplicate: true }
    const made = await other.account.post('/v3/payout', body)
    assert.equal(made.status, 200, made.text)
    const copy: Statement = tx => tx`
      insert into payouts select (jsonb_populate_record(p, jsonb_build_object(
        'id', left(p.id, -1) || case right(p.id, 1) when 'z' then 'y' else 'z' end,
        'quote_id', ${quotes[1] ?? ''}::text,
        'destination_country', case when ${details === undefined} then p.destination_country else '' end,
        'beneficiary_details', coalesce(${details ? JSON.stringify(details) : null}::text::jsonb,
          p.beneficiary_details::jsonb)))).*
      from payouts p where p.account_id = ${other.id} and p.id = ${made.json.data.id}`
    const remove = await other.addRule(rule)
    const why = /a rule asks for the approval of the payout/
    await other.assertRefusesBoth(JSON.stringify([rule, fields]), copy, why)
    await remove()
    await assertLetsIn(other, copy)
  }
})

test('local_networks_to, every currency and country: the networks that the service knows', async () => {
  const countries = [
    ...new Set(NETWORKS.flatMap(one => one.countries).map(bankingCountry)),
    '',
    'ZZ',
  ]
  const rows = await service.database.owner<
    { currency: string; country: string; networks: string[] }[]
  >`
    select currency, country, local_networks_to(currency, country) as networks
    from unnest(${[...CURRENCIES.keys()]}::text[]) currency, unnest(${countries}::text[]) country`
  for (const { currency, country, networks } of rows)
    assert.deepEqual(
      networks,
      [...localNetworksTo(currency, country)].sort(),
      `${currency} ${country}`,
    )
  assert.equal(rows.length, CURRENCIES.size * countries.length)
})

async function problems(): Promise<string[]> {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  return problemsBesidesActs(verdict).map(({ table, key }) => `${table} ${key}`)
}

/** Past the trigger that keeps rows, as somebody who has taken it off. */
const past = (table: string, statement: Statement) =>
  team.asOwner(async tx => {
    await tx.unsafe(`alter table ${table} disable trigger user`)
    await statement(tx)
    await tx.unsafe(`alter table ${table} enable trigger user`)
  })

test('payout changed after an approval: release refused by the service and by PostgreSQL', async () => {
  await decide('ann')
  const digest = await digestOf(service, payout)
  const change = (amount: number) =>
    past('payouts', tx => tx`update payouts set amount = ${amount} where id = ${payout}`)
  await change(900)
  await assert.rejects(decide('bob', digest), error => {
    assert.ok(error instanceof Refusal)
    assert.equal(error.problems[0]?.reason, 'approval_outdated')
    return true
  })
  const complete: Statement = async tx => {
    await decision(tx, 'bob', digest)
    await tx`
      update payout_approvals set outcome = 'approved', ended_at = clock_timestamp()
      where payout_id = ${payout}`
  }
  await assert.rejects(team.asService(complete), /cannot be approved/)
  const named = await problems()
  assert.ok(named.includes(`payout_approvals ${payout}`), named.join())
  await change(1000)
})

test('corridor verify, approval by a person who is no approver: named', async () => {
  await decide('ann')
  await decide('bob')
  assert.deepEqual(await problems(), [])
  await past(
    'approval_decisions',
    tx => tx`
      delete from approval_decisions where payout_id = ${payout} and user_name = 'bob'`,
  )
  assert.deepEqual(await problems(), [`payout_approvals ${payout}`])
})
