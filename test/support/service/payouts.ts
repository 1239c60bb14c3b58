// What tests do with payouts again and again: make one, read it, move it as the operator would, and
// see what was told of it.
import assert from 'node:assert/strict'
import type { RailStatus } from '../../../src/rail/rail.ts'
import { localPayout } from '../given/bodies.ts'
import type { Client, TestService } from './service.ts'
import { report } from './settling.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

/** A local payout of 100.00 USD, with these members in place of its own; as it was answered. */
export async function pay(account: Client, fields: object = {}): Promise<Json> {
  const answer = await account.post('/v3/payout', { ...localPayout, ...fields })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

export async function findPayout(account: Client, id: string): Promise<Json> {
  return (await account.get(`/v3/payout/${id}`)).json.data
}

/** The id of a new entity like no other, which nobody has reviewed. */
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
  await deps.lanes.advancePayout.run({ ...command, ask_again_in_ms: null })
}

/** The types of the events about an object, oldest first. */
export async function eventTypesOf({ database }: TestService, id: string): Promise<string[]> {
  const rows = await database.owner<{ type: string }[]>`
    select type from each_event where object_id = ${id} order by sequence`
  return rows.map(({ type }) => type)
}
