// The duplicate rules of entities against an oracle written from the specification alone: random
// histories through the service, every answer compared, then every character that has a case, is
// white space or cannot be seen. The rules themselves are tabled in src/entity.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { comparable as productForm } from '../../src/entity/comparable.ts'
import { Refusal } from '../../src/errors.ts'
import {
  type Driver,
  type Reply,
  runHistory,
  type Tally,
} from '../support/oracle/entity-histories.ts'
import {
  comparable,
  foldCharacter,
  invisible,
  whiteSpace,
} from '../support/oracle/entity-oracle.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const HISTORIES = Number(process.env.HISTORIES ?? share(60, 2_000))
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
      const change = { kind: 'review', id, status, description: '' } as const
      const { account_id } = of(account).account
      const command = { account_id, claim: null, change }
      try {
        const { reply } = await service.deps.lanes.writeEntity.run(command)
        return { status: reply.status, text: reply.body, json: JSON.parse(reply.body) }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const json = { errors: error.problems }
        return { status: error.status, text: JSON.stringify(json), json }
      }
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

test(`entities, ${HISTORIES} random histories of 30 operations: every answer is the oracle's`, async () => {
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

/** One POST for each name, at one address and at once: the ids in the same order. */
async function postNames(of: Client, names: readonly string[]): Promise<string[]> {
  const registration_address = { country: 'DE', line1: 'Hauptstraße 1', city: 'Köln' }
  const same = { type: 'individual', registration_address }
  const replies = await Promise.all(names.map(name => of.post('/v3/entity', { ...same, name })))
  return replies.map((reply, i) => {
    assert.equal(reply.status, 200, `${JSON.stringify(names[i])}: ${reply.text}`)
    return reply.json.data.id
  })
}

/** Posts what the texts compare as, then the texts: each must find its own and nothing else. */
async function assertFound(texts: readonly string[]): Promise<void> {
  const of = await service.openAccount({ currencies: ['USD'] })
  const forms = [...new Set(texts.map(comparable))]
  const ids = await postNames(of, forms)
  assert.equal(new Set(ids).size, forms.length, 'different texts are different entities')
  const byForm = new Map(forms.map((form, i) => [form, ids[i]]))
  const found = await postNames(of, texts)
  const wrong = texts.filter((text, i) => found[i] !== byForm.get(comparable(text)))
  assert.deepEqual(wrong.map(JSON.stringify as (text: string) => string), [])
}

/** `npm test` posts one of so many characters. */
const EVERY = share(50, 1)

test('entities, every character with another folding: found in either case, kept from all others', async () => {
  const characters = Array.from({ length: 0x110000 }, (_, point) => point)
    .filter(point => point < 0xd800 || point > 0xdfff)
    .map(point => String.fromCodePoint(point))
    .filter(character => foldCharacter(character) !== character)
  assert.ok(characters.length > 1_500)
  const between = (some: readonly string[]) => some.map(character => `x${character}x`)
  const others = ['ı', 'i', 'é', 'e', 'ａ', '²', '2']
  const texts = between([...characters, ...others])
  const unlike = texts.filter(text => productForm(text) !== productForm(comparable(text)))
  assert.deepEqual(unlike, [])
  const forms = [...new Set(texts.map(comparable))]
  assert.equal(new Set(forms.map(productForm)).size, forms.length)
  await assertFound(between([...characters.filter((_, i) => i % EVERY === 0), ...others]))
})

test('entities, every white space: around a text it is nothing, inside it counts', async () => {
  await assertFound(whiteSpace().flatMap(space => [`${space}ab${space}`, `a${space}b`]))
})

test('entities, every invisible character: nowhere does it count', async () => {
  const all = invisible()
  const portions = Array.from({ length: Math.ceil(all.length / 50) }, (_, i) =>
    all.slice(50 * i, 50 * i + 50).join(''),
  )
  await assertFound(portions.flatMap(hidden => [`a${hidden}b`, `${hidden} ab`, `ab ${hidden}`]))
})
