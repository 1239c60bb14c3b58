// kill -9 of service processes in the middle of keyed creations of the same entities in many
// spellings, at moments a seed decides, and a restart each time: nothing acknowledged is lost, and
// nobody is recorded twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkBooks } from '../support/assert/books.ts'
import { same } from '../support/given/entity-disguises.ts'
import type { Listening } from '../support/service/listening.ts'
import {
  type HttpAnswer,
  pickSeed,
  type RunningProcess,
  seeded,
  until,
} from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { share } from '../support/share.ts'

const KILLS = share(1, 4)
/** Before each kill. */
const ANSWERS_EACH = 50
const WRITERS = 8
const PATH = '/v3/entity'

const { database, client, start, listen } = await openScene()
const env = { CORRIDOR_SETTLE: 'off' }
/** In the usual run a single one. */
let services: RunningProcess[] = []
/** The one that is not killed. */
let last: Listening | undefined

/** One creation asked for under its own key. */
interface Asked {
  readonly key: string
  readonly identity: number
  readonly body: object
  /** What the client got; undefined when the connection ended before. */
  answer?: HttpAnswer
}

/** A request that is this person or business by one rule, and by no other; never twice the same. */
function spell(random: () => number, identity: number): object {
  const spelt = (text: string) => same(random, text)
  const any = { name: `Name ${Math.floor(random() * 1e9)}`, type: 'individual' }
  switch (identity % 4) {
    case 0:
      return { ...any, email: spelt(`person.${identity}@example.com`) }
    case 1: {
      const number = { type: spelt('Passport'), number: spelt(`X ${identity}`) }
      return { ...any, national_identification_number: number }
    }
    case 2: {
      const line1 = spelt(`Flat ${identity}, 1 Hill Road`)
      const registration_address = { line1, city: spelt('Port Louis'), country: 'MU' }
      return { ...any, name: spelt('Mary Green'), registration_address }
    }
    default: {
      const registration_address = { country: random() < 0.5 ? 'hk' : ' HK ' }
      const registration_number = spelt(`HK ${identity}`)
      return { ...any, type: 'business', registration_number, registration_address }
    }
  }
}

/** Asks a service that is there; undefined when it ends before it has answered, or none comes. */
async function ask(
  { body, key }: Asked,
  first: number,
  stopped: () => boolean,
): Promise<HttpAnswer | undefined> {
  for (let i = first; ; i++) {
    const { address = '' } = services[i % services.length] ?? last ?? {}
    try {
      return await client.post(address, PATH, body, key)
    } catch (error) {
      const refused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
      if (!refused || stopped()) return undefined
      await delay(10)
    }
  }
}

/** Writers that ask for few identities at a time, so that most are asked for by several at once. */
function startWriters(random: () => number, name: string) {
  const asked: Asked[] = []
  let stopped = false
  const write = async (writer: number) => {
    for (let i = 0; !stopped; i++) {
      const identity = Math.floor(asked.length / WRITERS + random() * 4)
      const one: Asked = {
        key: `${name}-${writer}-${i}`,
        identity,
        body: spell(random, identity),
      }
      asked.push(one)
      const answer = await ask(one, writer, () => stopped)
      if (answer !== undefined) one.answer = answer
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
  return {
    asked,
    async stop() {
      stopped = true
      await Promise.all(writers)
    },
  }
}

/**
 * Asks everything again. Each key must end in one 200, byte for byte the first one if there was one;
 * gives the ids that answered for each identity.
 */
async function askAgain(asked: readonly Asked[]) {
  const ids = new Map<number, Set<string>>()
  let acknowledged = 0
  let committed_unheard = 0
  const queue = asked.entries()
  const work = async () => {
    for (const [i, one] of queue) {
      const { address = '' } = services[i % services.length] ?? last ?? {}
      const again = await client.post(address, PATH, one.body, one.key)
      assert.equal(again.status, 200, `${one.key} ${JSON.stringify(one.body)}: ${again.text}`)
      const replayed = again.headers['idempotent-replayed'] === 'true'
      if (one.answer?.status === 200) {
        acknowledged += 1
        assert.ok(replayed, `${one.key} was acknowledged and lost`)
        assert.equal(again.text, one.answer.text)
      } else if (replayed) committed_unheard += 1
      const found = ids.get(one.identity) ?? new Set<string>()
      ids.set(one.identity, found.add(again.json.data.id))
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, work))
  return { ids, acknowledged, committed_unheard }
}

test(`kill -9 of services, ${KILLS} times while ${WRITERS} writers record the same entities: each once`, async t => {
  const seed = pickSeed()
  const random = seeded(seed)
  const startAll = (count: number) => Promise.all(Array.from({ length: count }, () => start(env)))
  services = await startAll(share(1, 2))
  const { asked, stop } = startWriters(random, `entities-${seed}`)
  const answered = () => asked.filter(({ answer }) => answer !== undefined).length
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = answered() + ANSWERS_EACH
      await until('writers are answered', () => answered() > enough)
      await delay(random() * share(200, 750))
      // All at once, or one of them.
      const victims = kill % 2 === 0 ? [...services] : services.slice(0, 1)
      for (const victim of victims) victim.signal('SIGKILL')
      for (const victim of victims) assert.equal(await victim.ended, 'SIGKILL')
      const more = kill + 1 < KILLS ? await startAll(victims.length) : []
      if (more.length === 0) last = await listen(env)
      services = [...services.slice(victims.length), ...more]
    }
  } finally {
    await stop()
  }
  const unheard = asked.filter(({ answer }) => answer === undefined).length
  for (const { answer } of asked) assert.equal(answer?.status ?? 200, 200, answer?.text ?? '')
  const { ids, acknowledged, committed_unheard } = await askAgain(asked)
  t.diagnostic(
    `SEED=${seed} ${KILLS} kills, ${asked.length} keys of ${ids.size} entities: ` +
      `${acknowledged} acknowledged, ${unheard} unheard, of which ${committed_unheard} had committed`,
  )
  assert.ok(acknowledged > KILLS * ANSWERS_EACH && unheard > 0, 'the kills hit services at work')
  for (const [identity, found] of ids) assert.equal(found.size, 1, `identity ${identity}`)
  const [row] = await database.owner<{ n: number }[]>`
    select count(*)::integer as n from entities where approval_status <> 'rejected'`
  assert.equal(row?.n, ids.size)
  await checkBooks(database.owner, { DATABASE_URL: database.url })
})
