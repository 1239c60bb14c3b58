// A call of each route of lines, items and matches that an operator gets 200 for, once.
import { giveItems, giveLines } from '../support/treasury/open-rows.ts'
import { newNostro } from './treasury-calls.ts'
import type { Call, OperatorWorld } from './world.ts'

type Calls = Readonly<Record<string, (world: OperatorWorld) => Promise<Call> | Call>>

/** A nostro with a line and an item of 1.00 that are open. */
async function newPair(world: OperatorWorld) {
  const { owner } = world.service.database
  const nostro = { name: await newNostro(world), currency: 'USD' }
  const [line] = await giveLines(owner, nostro, [{ amount: 100n }])
  const [item] = await giveItems(owner, nostro, [{ amount: 100n }])
  return { nostro: nostro.name, line: `line_${line}`, item: `item_${item}` }
}

const ofNostro = async (world: OperatorWorld): Promise<Call> => {
  const { nostro } = await newPair(world)
  return { query: `?nostro=${nostro}` }
}

const newRule = async (world: OperatorWorld): Promise<Call> => ({
  ids: [await newNostro(world)],
  body: { as: 'cost', text: '*ACCOUNT FEE*' },
})

export const MATCHING_CALLS: Calls = {
  'GET /v3/operator/nostro_line': ofNostro,
  'GET /v3/operator/nostro_item': ofNostro,
  'GET /v3/operator/nostro_match': ofNostro,
  'GET /v3/operator/nostro_exception': () => ({}),
  'GET /v3/operator/nostro_line/:id/suggestion': async world => ({
    ids: [(await newPair(world)).line],
  }),
  'POST /v3/operator/nostro_line/:id/book': async world => ({
    ids: [(await newPair(world)).line],
    body: { as: 'cost', note: 'Account fee' },
  }),
  'POST /v3/operator/nostro_line/:id/credit': async world => ({
    ids: [(await newPair(world)).line],
    body: { account_id: world.live.account.account_id, reason: 'Invoice 118' },
  }),
  'POST /v3/operator/nostro_line/:id/proposal': async world => ({
    ids: [(await newPair(world)).line],
    body: { to: world.live.account.account_id, note: 'Invoice 118' },
  }),
  'POST /v3/operator/nostro_line/:id/return': async world => ({
    ids: [(await newPair(world)).line],
    body: { reason: 'No such customer' },
  }),
  'POST /v3/operator/nostro_match': async world => {
    const { line, item } = await newPair(world)
    return { body: { lines: [line], items: [item] } }
  },
  'POST /v3/operator/nostro_match/:id/undo': async world => {
    const { line, item } = await newPair(world)
    const body = { lines: [line], items: [item] }
    const { json } = await world.call('POST /v3/operator/nostro_match', { body })
    return { ids: [json.data.match], body: { note: 'Not these' } }
  },
  'GET /v3/operator/nostro_case/:id/note': async world => ({
    ids: [(await newPair(world)).line],
  }),
  'POST /v3/operator/nostro_case/:id/note': async world => ({
    ids: [(await newPair(world)).line],
    body: { note: 'Asked the bank', owner: 'ada' },
  }),
  'GET /v3/operator/nostro/:name/rule': async world => ({ ids: [await newNostro(world)] }),
  'POST /v3/operator/nostro/:name/rule': newRule,
  'POST /v3/operator/nostro/:name/rule/remove': async world => {
    const call = await newRule(world)
    await world.call('POST /v3/operator/nostro/:name/rule', call)
    return { ids: call.ids ?? [], body: { number: 1 } }
  },
  'POST /v3/operator/nostro/:name/match': async world => ({
    ids: [await newNostro(world)],
    body: {},
  }),
}
