// Races for one identity, made to happen: two processes that share a database, and the operator's
// reviews beside them. Whoever comes first makes the entity, all others are given it; never are there
// two live entities of one account and type that are the same.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { onDatabase } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config/config.ts'
import { writeEntity } from '../../src/parties/entity/operations.ts'
import { REVIEW_RESULTS } from '../../src/parties/entity/states.ts'
import { upsertEndedReviews } from '../../src/payouts/advance/hold-store.ts'
import { Refusal } from '../../src/values/errors.ts'
import { bookId } from '../../src/values/id.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { type Members, sameBy } from '../support/oracle/entity-oracle.ts'
import { pickSeed, seeded, tally } from '../support/service/process.ts'
import type { Answer, Client } from '../support/service/service.ts'
import { startSideBySide } from '../support/service/side-by-side.ts'
import { share } from '../support/share.ts'

const AT_ONCE = 50
const ROUNDS = share(4, 10)

/** One account's client by each of two processes in turn. */
let by: (i: number) => Client
let account_id: string

const all = await startSideBySide(2)
after(() => all.close())

async function open(): Promise<void> {
  by = await all.open()
  account_id = by(0).account.account_id
}

async function entitiesOf(): Promise<number> {
  const [row] = await all.service.database.owner<{ n: number }[]>`
    select count(*)::int as n from entities where account_id = ${account_id}`
  return row?.n ?? -1
}

const address_parts = { country: 'DE', line1: 'Große Allee 4', city: 'Köln' }

/** For each rule, an entity that this rule alone can find, in the round's own identity. */
const IDENTITIES: readonly ((round: number) => Members)[] = [
  round => ({ type: 'individual', name: 'Anna Weiß', email: `änna.${round}@weiß.example` }),
  round => ({
    type: 'individual',
    name: 'Anna Weiß',
    national_identification_number: { type: 'Reisepaß', number: `É ${round}` },
  }),
  round => ({
    type: 'individual',
    name: `Anna Weiß ${round}`,
    registration_address: address_parts,
    vertical: 'Größe',
  }),
  round => ({
    type: 'business',
    name: 'Weiß GmbH',
    registration_number: `HRB ß ${round}`,
    registration_address: { country: 'DE' },
  }),
]
const identity = (round: number) => IDENTITIES[round % IDENTITIES.length]?.(round) as Members

/** The same to the rules, however it is written. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  text => text,
  text => text.toUpperCase(),
  text => text.toLowerCase(),
  text => text.normalize('NFD'),
  text => `\u00a0${text}\u3000`,
  text => `${text.slice(0, 1)}\u200b${text.slice(1)}`,
  text => text.replaceAll('ß', 'ss'),
]

function spelt(members: Members, i: number): Members {
  const spell = SPELLINGS[i % SPELLINGS.length] as (text: string) => string
  const entries = Object.entries(members).map(([name, value]) => {
    if (name === 'type') return [name, value]
    if (typeof value === 'string') return [name, spell(value)]
    const parts = Object.entries(value ?? {}).map(([part, text]) => [part, spell(text ?? '')])
    return [name, Object.fromEntries(parts)]
  })
  return Object.fromEntries(entries)
}

function assertOne(answers: readonly Answer[], round: number): void {
  assert.deepEqual(tally(answers), { '200': AT_ONCE })
  assert.equal(new Set(answers.map(answer => answer.json.data.id)).size, 1, `round ${round}`)
  assert.equal(new Set(answers.map(answer => answer.text)).size, 1, `round ${round}`)
}

test(`POST /v3/entity, ${AT_ONCE} in parallel, equal or differently spelt, two processes, ${ROUNDS} rounds: one entity a round, equal answers`, async () => {
  await open()
  for (let round = 0; round < ROUNDS; round++) {
    const asked = Array.from({ length: AT_ONCE }, (_, i) =>
      by(i).post('/v3/entity', spelt(identity(round), i)),
    )
    assertOne(await Promise.all(asked), round)
    assert.equal(await entitiesOf(), round + 1)
  }
  const [events] = await all.service.database.owner<{ n: number }[]>`
    select count(*)::int as n from each_event where account_id = ${account_id}`
  assert.equal(events?.n, ROUNDS)
})

test(`POST /v3/entity/{id}/submit, ${AT_ONCE} in parallel in two processes: one accepted, the others refused`, async () => {
  await open()
  const { id } = (await by(0).post('/v3/entity', identity(0))).json.data
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) => by(i).post(`/v3/entity/${id}/submit`, {})),
  )
  assert.deepEqual(tally(answers), { '200': 1, '409 invalid_transition': AT_ONCE - 1 })
})

// All that can happen to an identity, at once.

const MIXED = share(400, 5_000)
const CALLERS = 16
/** Few, so that the callers meet all the time. */
const SHARED = 4

/** One caller's request: a creation, a change of identity, or a submission of what it knows. */
async function callOnce(i: number, random: () => number, ids: string[]): Promise<Answer> {
  const at = by(i)
  const pick = (n: number) => Math.floor(random() * n)
  const wanted = spelt(identity(pick(SHARED)), pick(SPELLINGS.length))
  const id = ids[pick(ids.length)]
  const roll = random()
  if (id === undefined || roll < 0.4) {
    const made = await at.post('/v3/entity', { ...wanted, description: `${pick(1e9)}` })
    if (made.status === 200) ids.push(made.json.data.id)
    return made
  }
  if (roll < 0.6) return at.post(`/v3/entity/${id}/submit`, {})
  const { type: _, ...change } = wanted
  if (roll < 0.9) return at.put(`/v3/entity/${id}`, change)
  return at.put(`/v3/entity/${id}`, {
    email: null,
    national_identification_number: null,
    vertical: null,
  })
}

/** The operator at the command line, on connections of his own: how often each answer was given. */
function reviewUntil(
  over: (counts: Readonly<Record<string, number>>) => boolean,
  random: () => number,
  ids: readonly string[],
) {
  const config = readConfig({ DATABASE_URL: all.service.database.url, LOG_LEVEL: 'silent' })
  const operation = writeEntity(bookId, upsertEndedReviews)
  const counts: Record<string, number> = {}
  return onDatabase(config, all.service.database.url, async context => {
    while (!over(counts)) {
      const id = ids[Math.floor(random() * ids.length)]
      const status = random() < 0.2 ? 'requires_action' : random() < 0.5 ? 'approved' : 'rejected'
      await delay(1)
      if (id === undefined) continue
      const change = { kind: 'review', id, status, description: '' } as const
      const command = { account_id, claim: null, change, maker: 'operator:ada' }
      const outcome = await context.run({ operation, command, act: null }).then(
        () => status,
        (error: unknown) => {
          if (error instanceof Refusal) return String(error.problems[0]?.reason)
          throw error
        },
      )
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
    return counts
  })
}

interface LiveRow {
  readonly id: string
  readonly type: 'individual' | 'business'
  readonly details: Members
}

/** Pairs of live entities of the account that are one by the specification's own words. */
async function twins(): Promise<string[]> {
  const rows = await all.service.database.owner<LiveRow[]>`
    select id, type, details from entities
    where account_id = ${account_id} and approval_status <> 'rejected'`
  return rows.flatMap((one, i) =>
    rows.slice(i + 1).flatMap(other => {
      if (one.type !== other.type) return []
      const rule = sameBy(one.type, one.details, other.details)
      return rule === undefined ? [] : [`${one.id} and ${other.id} by ${rule}`]
    }),
  )
}

test(`entities, ${MIXED} creations, updates, submissions and reviews of few identities in parallel: no two equal live entities`, async () => {
  await open()
  const seed = pickSeed()
  console.log(`SEED=${seed}`)
  const ids: string[] = []
  const answers: Answer[] = []
  const seen = new Set<string>()
  const over = () => answers.length >= MIXED && REVIEW_RESULTS.every(result => seen.has(result))
  const note = (counts: Readonly<Record<string, number>>) => {
    for (const name of Object.keys(counts)) seen.add(name)
    return over()
  }
  const call = async (i: number) => {
    const random = seeded(seed + i)
    while (!over()) answers.push(await callOnce(i, random, ids))
  }
  const [reviews, more] = await Promise.all([
    reviewUntil(note, seeded(seed - 1), ids),
    reviewUntil(note, seeded(seed - 2), ids),
    ...Array.from({ length: CALLERS }, (_, i) => call(i)),
  ])
  const counts = tally(answers)
  console.log(JSON.stringify({ counts, reviews, more, made: await entitiesOf() }))
  assert.deepEqual(Object.keys(counts).sort(), ['200', '409 invalid_transition'])
  const kinds = new Set([...Object.keys(reviews), ...Object.keys(more)])
  for (const result of REVIEW_RESULTS) assert.ok(kinds.delete(result), `nothing was ${result}`)
  for (const reason of ['invalid_transition', 'entity_duplicate']) kinds.delete(reason)
  assert.deepEqual([...kinds], [])
  assert.ok((await entitiesOf()) > SHARED, 'identities were taken again after a rejection')
  assert.deepEqual(await twins(), [])
})

test('events after all tests of this file: numbers without gaps, no fault in any log', async () => {
  await verifyBooks(all.service.database.owner)
  assert.deepEqual(all.faults, [])
})
