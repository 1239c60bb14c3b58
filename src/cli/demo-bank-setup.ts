// Sets up the demonstration with a bank: a live account with money, a fee, a rail and a route. At
// the end it removes the fee and the route; the account and the rail stay.
import { join } from 'node:path'
import { listAccounts } from '../accounts/store.ts'
import { RAIL_KINDS } from '../adapters/registry.ts'
import type { Fee } from '../prices/fee/rules.ts'
import { deleteFee, listFees, upsertFees } from '../prices/fee/store.ts'
import type { RailRow } from '../rails/kind.ts'
import { readRail } from '../rails/load-rail.ts'
import { insertRail, updatePause, updateRail } from '../rails/row-store.ts'
import { deleteRoute, upsertRoute } from '../rails/store.ts'
import { readRequired, updateRequired } from '../screening/list-store.ts'
import { newId } from '../values/id.ts'
import { amountToJson } from '../values/money/json.ts'
import { inShell } from '../values/text/shell.ts'
import { book, createFunded } from './account.ts'
import type { Context } from './context.ts'
import { authorizationOf } from './demo-http.ts'
import { CommandFailed, readOrRefuse } from './failure.ts'

/** The names of accounts. An installation with any other live account pays real money. */
export const DEMO_NAMES = { bank: 'Bank demo', chain: 'Chain demo' } as const
const NAME = DEMO_NAMES.bank
const RAIL = 'demo_bank'
/** EUR 1,000.00 */
const FUNDED = 100_000n

export type BankDemoSetUp = Awaited<ReturnType<typeof setUpBankDemo>>

/** `folder` is that of the bank; `fee` is what a payout costs, in cents. */
export async function setUpBankDemo(context: Context, folder: string, fee: number) {
  await refuseRealMoney(context)
  await requireNoLists(context)
  const rail = await setRail(context, folder)
  const new_account = { name: NAME, currencies: ['EUR'], primary_currency: 'EUR', fund: [] }
  const opened = await createFunded(context, { ...new_account, sandbox: false })
  const { account, key_id, secret } = opened
  const { account_id } = account
  const booking = { account_id, currency: 'EUR', amount: FUNDED, reason: '', split: false } as const
  const reference = `DEMO ${account_id}`
  const proof = { kind: 'funding', source: newId('esc'), reference } as const
  const retry = `corridor fund ${account_id} EUR 1000.00 --reference ${inShell(reference)}`
  await book(context, { ...booking, ...proof }, retry)
  const route = { ...ANY_PAYOUT, account_id, rail: RAIL }
  await upsertRoute(context.sql, route)
  return {
    shown: { account_id, name: NAME, funded: { currency: 'EUR', amount: amountToJson(FUNDED) } },
    authorization: authorizationOf(`${key_id}:${secret}`),
    rail: { name: RAIL, kind: rail.kind, settings: rail.config },
    route,
    fee: await setFee(context, fee),
  }
}

export const ANY_PAYOUT = {
  payout_type: null,
  network: null,
  currency: null,
  country: null,
  min_amount: null,
  max_amount: null,
  priority: 0,
  timetable: null,
}

/** The demonstration pays nobody. Lists that the operator has chosen stay required. */
export async function requireNoLists({ sql, config }: Context): Promise<void> {
  const { is_default } = await readRequired(sql)
  if (!is_default) return
  const reason = 'The demonstration pays nobody.'
  await updateRequired(sql, { required: [], set_by: config.user || 'demo', reason })
}

/** The demonstration books money that does not exist. */
export async function refuseRealMoney({ sql }: Context): Promise<void> {
  const ours: readonly string[] = Object.values(DEMO_NAMES)
  const live = (await listAccounts(sql)).filter(
    ({ sandbox, name }) => !sandbox && !ours.includes(name),
  )
  const [one] = live
  if (one === undefined) return
  throw new CommandFailed(
    `this installation has live account ${one.account_id}, and the demonstration books money ` +
      'that does not exist: run it on an installation of its own, ' +
      'CORRIDOR_DATA=./demo corridor start',
  )
}

async function setRail({ sql }: Context, folder: string): Promise<RailRow> {
  const config = JSON.stringify(settingsOf(folder))
  const read = readRail({ name: RAIL, kind: 'iso20022', config, secret: '' }, RAIL_KINDS)
  const rail = readOrRefuse(read)
  if (await insertRail(sql, rail)) return rail
  await updateRail(sql, rail)
  await updatePause(sql, RAIL, '')
  return rail
}

function settingsOf(folder: string) {
  const at = (box: string) => join(folder, box)
  return {
    settlement_account: {
      name: 'Account at the test bank',
      holder: 'Example Payments GmbH',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      currency: 'EUR',
      address: { street: 'Kaiserstr. 1', town: 'Frankfurt', postcode: '60311', country: 'DE' },
    },
    profile: 'generic',
    transport: {
      kind: 'folder',
      outbox: at('to-bank'),
      inbox: at('from-bank'),
      archive: at('archive'),
    },
    timetable: 'always_open',
    fetch_every_s: 1,
  }
}

/** Undefined if the operator has set a fee for such payouts. */
async function setFee({ sql }: Context, cents: number): Promise<Fee | undefined> {
  const fee: Fee = {
    payout_type: 'local',
    payout_currency: 'EUR',
    destination_country: 'AT',
    network: 'sepa',
    charge_type: null,
    fixed_amount: BigInt(cents),
    fee_currency: 'EUR',
    variable_bps: 0,
    minimum_amount: null,
    maximum_amount: null,
    sample: false,
  }
  const has_fee = (await listFees(sql)).some(
    ({ destination_country, network }) => destination_country === 'AT' && network === 'sepa',
  )
  if (has_fee) return undefined
  await upsertFees(sql, [fee])
  return fee
}

/** The rail stays, paused: payouts went to it. */
export async function endBankDemo({ sql }: Context, { route, fee }: BankDemoSetUp): Promise<void> {
  await deleteRoute(sql, route)
  await updatePause(sql, RAIL, 'the demonstration is over')
  if (fee !== undefined) await sql.begin(tx => deleteFee(tx, fee))
}
