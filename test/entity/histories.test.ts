// The duplicate rules of entities against an oracle written from the specification alone: random
// histories through the service, every answer compared. The rules themselves, and every character, are
// tabled in src/parties/entity.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Driver,
  type Reply,
  runHistory,
  type Tally,
} from '../support/oracle/entity-histories.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const HISTORIES = Number(process.env.HISTORIES ?? share(30, 2_000))
/** Histories under way together: a lane then always has a batch to write. */
const TOGETHER = 128

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

function driverOf(clients: readonly Client[]): Driver {
  const of = (account: number) => clients[account] as Client
  return {
    create: (account, body) => of(account).post('/v3/entity', body),
    update: (account, id, body) => of(account).put(`/v3/entity/${id}`, body),
    submit: (account, id) => of(account).post(`/v3/entity/${id}/submit`, {}),
    get: (account, id) => of(account).get(`/v3/entity/${id}`),
    async review(account, id, status): Promise<Reply> {
      const { reason, text, ...answer } = await review(service, of(account), id, status)
      const json = reason === undefined ? JSON.parse(text) : { errors: [{ reason }] }
      return { ...answer, text, json }
    },
  }
}

/** What must happen once in 400 histories on average, or they prove nothing. */
const MUST_HAPPEN = [
  'bursts',
  ...[
    'email',
    'national identification',
    'name and address',
    'registration number and country',
  ].flatMap(rule => ['create', 'update', 'submit'].map(kind => `${kind}: duplicate by ${rule}`)),
  ...['create: new', 'update: itself', 'submit: itself', 'review: itself'],
  'review: refused entity_duplicate',
  'review: refused invalid_transition',
  'create: refused entity_not_found',
]

test(`entities, ${HISTORIES} random histories of 30 operations: every answer equals that of an oracle`, async () => {
  const seed = pickSeed()
  console.log(`SEED=${seed}`)
  const clients = await service.openAccounts(Array(2 * HISTORIES).fill({ currencies: ['USD'] }))
  const driver = driverOf(clients)
  const rollbacks = await countRollbacks()
  const tally: Tally = new Map()
  let next = 0
  const work = async () => {
    while (next < HISTORIES) {
      const i = next++
      await runHistory(driver, seed + i, seeded(seed + i), [2 * i, 2 * i + 1], tally)
    }
  }
  await Promise.all(Array.from({ length: Math.min(TOGETHER, HISTORIES) }, work))
  // A right answer may have come from a second try, each write of a refused batch for itself: slow,
  // and meant for two changes of one batch that trade an identity, which is rare.
  const repeated = (await countRollbacks()) - rollbacks
  assert.ok(repeated <= HISTORIES / 200, `${repeated} batches were refused and done again`)
  const rare = MUST_HAPPEN.filter(name => (tally.get(name) ?? 0) < Math.floor(HISTORIES / 400))
  assert.deepEqual(rare, [], 'the histories do not reach this often enough')
})

/** Transactions of this database that did not commit; sessions report them within a second or so. */
async function countRollbacks(): Promise<number> {
  const [row] = await service.database.owner<{ rolled_back: number }[]>`
    select xact_rollback::int as rolled_back from pg_stat_database
    where datname = current_database()`
  return row?.rolled_back ?? 0
}
