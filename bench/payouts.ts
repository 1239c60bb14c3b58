// Makes payouts for scenarios: bodies, single payouts over HTTP, accounts that pay, and loads.

import { createFunded } from '../src/cli/account.ts'
import { type Context, onDatabase } from '../src/cli/context.ts'
import { readConfig } from '../src/config/config.ts'
import { updateRequired } from '../src/screening/list-store.ts'
import type { Load } from './load.ts'
import type { SteadyRequest } from './steady.ts'
import { type Caller, callerOf, type Target, untilKeysAreKnown } from './target.ts'

const ALIKE = {
  type: 'local',
  purpose: 'supplier_payment',
  transaction_description: 'Invoice 2041 of March, second part',
  reference_id: 'INV-2041-2',
  metadata: { order: 'A-77120', cost_centre: 'treasury' },
} as const

/** Bodies without a beneficiary; about 250 bytes with one. */
export const PAYOUTS = {
  'USD→USD': { amount: 10_000, currency: 'USD', ...ALIKE },
  'USD→HKD': { amount: 78_000, currency: 'HKD', holding_currency: 'USD', ...ALIKE },
} as const

export type PayoutName = keyof typeof PAYOUTS

/** A body that names the beneficiary by id. */
export function payoutBody(payout: PayoutName, beneficiary: string): object {
  return { ...PAYOUTS[payout], beneficiary }
}

/** Makes one payout, by default with an Idempotency-Key. */
export async function payOnce(
  caller: Caller,
  body: object,
  keyed = true,
): Promise<{ readonly id: string; readonly beneficiary: string }> {
  const idempotency_key = keyed ? crypto.randomUUID() : undefined
  const { status, text } = await caller.post('/v3/payout', body, idempotency_key)
  if (status !== 200 && status !== 201) {
    throw new Error(`a payout was answered ${status}: ${text}`)
  }
  return JSON.parse(text).data
}

/** Makes a beneficiary by a payout with inline details; returns its id. */
export async function makeBeneficiary(caller: Caller): Promise<string> {
  const body = { ...PAYOUTS['USD→USD'], beneficiary_details: recipient(123_456_789_012) }
  return (await payOnce(caller, body)).beneficiary
}

/** Details of the beneficiary with this account number. */
export function recipient(account_number: number): object {
  return {
    name: 'Harbour Trading Ltd',
    type: 'business',
    destination_details: {
      type: 'bank',
      bank: {
        account_number: String(account_number).padStart(12, '0'),
        bank_name: 'Harbour Bank',
        country: 'HK',
        bank_codes: { bank_code: '004' },
      },
    },
  }
}

/** A footnote for figures of these loads. */
export const GUARD_NOTE =
  'The guard against paying twice is switched off, as the payouts are all alike; it would cost ' +
  'about a tenth.'

/** A load in which each request comes from a random payer. */
export function payoutLoad(
  address: string,
  payers: readonly Payer[],
  connections: number,
  payout: PayoutName = 'USD→USD',
): Omit<Load, 'seconds'> {
  const requests = payoutRequests(payers, payout)
  return {
    url: urlOf(address),
    authorizations: requests.map(({ authorization }) => authorization),
    bodies: {
      templates: requests.map(({ body }) => body),
      template_per_authorization: true,
      fresh_from: 0,
      existing_to: 1,
      keyed: true,
    },
    connections,
  }
}

export function payoutRequests(
  payers: readonly Payer[],
  payout: PayoutName = 'USD→USD',
): readonly (SteadyRequest & { readonly body: string })[] {
  return payers.map(({ authorization, beneficiary }) => ({
    authorization,
    body: JSON.stringify(payoutBody(payout, beneficiary)),
  }))
}

export function urlOf(address: string): string {
  return `${address}/v3/payout`
}

export interface Payer extends Caller {
  readonly beneficiary: string
}

/** Adds a beneficiary to the caller. */
export async function payerOf<C extends Caller>(caller: C): Promise<C & Payer> {
  return { ...caller, beneficiary: await makeBeneficiary(caller) }
}

/** How many accounts are created at the same time. */
const MAKERS = 8

/** Creates an account with ample funds and without the check for duplicate payouts. */
export async function openFunded(
  context: Context,
  address: string,
  name: string,
  sandbox: boolean,
): Promise<Caller> {
  const { account, key_id, secret } = await createFunded(context, {
    name,
    currencies: ['USD'],
    primary_currency: 'USD',
    fund: [{ currency: 'USD', amount: 1_000_000_000_000n }],
    sandbox,
    duplicate_window_s: 0,
  })
  return callerOf(address, { account_id: account.account_id, key_id, secret })
}

/** Creates such a live account, whose payouts go to this rail and wait for no sanctions list. */
export async function openLive(
  target: Target,
  rail: string,
  ...timetable: readonly string[]
): Promise<Caller> {
  const caller = await onDatabase(readConfig({}), target.database_url, async context => {
    await updateRequired(context.sql, { required: [], set_by: 'bench', reason: 'Nobody is paid.' })
    return openFunded(context, target.address, 'Live', false)
  })
  const fee = ['--fixed-amount', '0', '--fee-currency', 'USD', '--force']
  await target.command('fees', 'set', '--payout-type', 'local', ...fee)
  const { account_id } = caller
  await target.command('route', 'set', '--rail', rail, ...timetable, '--account', account_id)
  await untilKeysAreKnown()
  return caller
}

/** Creates `count` such sandbox accounts, each with a beneficiary. */
export async function makePayers(target: Target, count: number): Promise<readonly Payer[]> {
  const opened = await onDatabase(readConfig({}), target.database_url, context =>
    times(count, MAKERS, i => openFunded(context, target.address, `Bench ${i + 1}`, true)),
  )
  await untilKeysAreKnown()
  return times(count, MAKERS, i => payerOf(opened[i] as Caller))
}

/** Calls `work` `count` times, `at_once` calls concurrently; returns the results in order. */
export async function times<T>(
  count: number,
  at_once: number,
  work: (i: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const maker = async () => {
    for (let i = next++; i < count; i = next++) results[i] = await work(i)
  }
  await Promise.all(Array.from({ length: at_once }, maker))
  return results
}
