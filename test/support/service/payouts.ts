// Makes payouts, reads them, moves them as an operator, and reads their events and exceptions.
import assert from 'node:assert/strict'
import { closeException } from '../../../src/payouts/advance/wake-store.ts'
import type { RailStatus } from '../../../src/rails/rail.ts'
import { insertRail } from '../../../src/rails/row-store.ts'
import { transactConfined } from '../../../src/sql/confine.ts'
import { localPayout } from '../given/bodies.ts'
import type { Client, TestService } from './service.ts'
import { report } from './settling.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

/** Makes a local payout of USD 100.00, changed by `fields`; returns the answer's `data`. */
export async function pay(account: Client, fields: object = {}): Promise<Json> {
  const answer = await account.post('/v3/payout', { ...localPayout, ...fields })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

export async function findPayout(account: Client, id: string): Promise<Json> {
  return (await account.get(`/v3/payout/${id}`)).json.data
}

export async function statusOf(account: Client, id: string): Promise<string> {
  return (await findPayout(account, id)).status
}

/** Makes an entity without an identity, so that it duplicates none; returns its id. */
export async function entityOf(account: Client): Promise<string> {
  const answer = await account.post('/v3/entity', { type: 'individual', name: 'Anna' })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.id
}

export async function operatorSets(
  { deps }: TestService,
  { account }: Client,
  payout_id: string,
  ...statuses: RailStatus[]
): Promise<void> {
  const { steps } = report(...statuses)
  const command = { account_id: account.account_id, payout_id, steps, by: 'operator' } as const
  await deps.lanes.advancePayout.run(command)
}

/** The types of the events about an object, oldest first. */
export async function eventTypesOf({ database }: TestService, id: string): Promise<string[]> {
  const rows = await database.owner<{ type: string }[]>`
    select type from each_event where object_id = ${id} order by sequence`
  return rows.map(({ type }) => type)
}

/**
 * The exceptions of a payout as `2 no_funds` (attempt and kind), with ` closed` after a closed one.
 */
export async function exceptionsOf({ database }: TestService, id: string): Promise<string[]> {
  const rows = await database.owner<{ attempt: number; kind: string; open: boolean }[]>`
    select attempt, kind, closed_at is null as open from rail_exceptions
    where payout_id = ${id} order by number`
  return rows.map(({ attempt, kind, open }) => `${attempt} ${kind}${open ? '' : ' closed'}`)
}

/** Closes the exception of this number in a person's name. */
export function closeExceptionOf(
  { deps }: Pick<TestService, 'deps'>,
  { account: { account_id } }: Client,
  id: string,
  number: number,
) {
  const closing = { number, closed_by: 'anna', note: 'Looked at.' }
  return transactConfined(deps.sql, [account_id], tx =>
    closeException(tx, { account_id, id }, closing),
  )
}

/** Adds rails for live accounts; the test answers for them. */
export async function addRails({ deps }: TestService, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const rail = { name, kind: 'connector', config: {}, secret: '', paused_reason: '' } as const
    await insertRail(deps.sql, rail)
  }
}
