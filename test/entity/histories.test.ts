// The duplicate rules of entities against an oracle written from the specification alone: the oracle
// held to the specification's sentences, then thousands of random histories through the service,
// every answer compared, then every character that has a case, is white space or cannot be seen.
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
  create,
  type Expected,
  foldCharacter,
  invisible,
  type Members,
  review,
  submit,
  update,
  type World,
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

// The oracle, held to the specification.

const address = { country: 'DE', line1: 'Hauptstraße 1', city: 'Köln' }
const home = (part: object = {}) => ({ name: 'A', registration_address: { ...address, ...part } })
const ann = { name: 'Ann', email: 'ann@example.com' }
const passport = { type: 'passport', number: 'X1' }
const holder = (name: string, part: object = {}) => ({
  name,
  national_identification_number: { ...passport, ...part },
})
const firm = (country: string) => ({
  name: 'A',
  registration_number: '1',
  registration_address: { country },
})

type Case = readonly [rule: string, first: Members, second: Members, same: boolean]

const individuals: readonly Case[] = [
  ['§duplicate.identity: email, whatever the name', ann, { ...ann, name: 'Bo' }, true],
  ['§duplicate.identity: email, across verticals', ann, { ...ann, vertical: 'b' }, true],
  ['§duplicate.individual: type and number, whatever the name', holder('A'), holder('B'), true],
  ['§duplicate.individual: another type', holder('A'), holder('A', { type: 'visa' }), false],
  ['§duplicate.takes_part: no type', holder('A', { type: '' }), holder('A', { type: '' }), false],
  ['§duplicate.individual: name and address', home(), home(), true],
  ['§duplicate.individual: another name', home(), { ...home(), name: 'B' }, false],
  ['§duplicate.individual: another line 1', home(), home({ line1: 'Hauptstraße 2' }), false],
  ['§duplicate.individual: another state', home(), home({ state: 'NW' }), false],
  [
    '§duplicate.individual: another code',
    home({ postal_code: '1' }),
    home({ postal_code: '2' }),
    false,
  ],
  ['§duplicate.takes_part: state blank on both sides', home({ state: ' ' }), home(), true],
  ['§duplicate.takes_part: no city', home({ city: '' }), home({ city: '' }), false],
  ['§duplicate.scope: another vertical', home(), { ...home(), vertical: 'b' }, false],
  ['§duplicate.scope: vertical absent and blank', home(), { ...home(), vertical: '\t' }, true],
  ['§duplicate.takes_part: blank emails', { ...ann, email: ' ' }, { ...ann, email: ' ' }, false],
  [
    '§duplicate.comparison: case, space',
    ann,
    { name: 'A', email: '\u3000ANN@Example.com\n' },
    true,
  ],
]
const businesses: readonly Case[] = [
  ['§duplicate.business: number and country', firm('DE'), { ...firm('de '), name: 'B' }, true],
  ['§duplicate.business: another country', firm('DE'), firm('GR'), false],
  ['§duplicate.business: email is no rule for a business', ann, ann, false],
]

for (const [rule, first, second, same] of [...individuals, ...businesses]) {
  const type = businesses.some(([name]) => name === rule) ? 'business' : 'individual'
  test(`the oracle, ${rule}: ${same ? 'one entity' : 'two'}`, () => {
    const world: World = []
    create(world, 0, { ...first, type }, 'ent_1')
    const answer = create(world, 0, { ...second, type }, 'ent_2')
    assert.ok(answer.status === 200)
    assert.equal(answer.id, same ? 'ent_1' : 'ent_2')
    assert.equal(world.length, same ? 1 : 2)
  })
}

const person = { ...ann, type: 'individual' }
const idOf = (expected: Expected) => (expected.status === 200 ? expected.id : expected.reason)

test('the oracle, §duplicate.compared: another account or type is never compared', () => {
  const world: World = []
  create(world, 0, person, 'ent_1')
  assert.equal(idOf(create(world, 1, person, 'ent_2')), 'ent_2')
  assert.equal(idOf(create(world, 0, { ...person, type: 'business' }, 'ent_3')), 'ent_3')
})

test('the oracle, §duplicate.first: the first rule with a match decides, not the first entity', () => {
  const world: World = []
  const type = 'individual'
  create(world, 0, { type, name: 'A', registration_address: address }, 'ent_address')
  create(world, 0, { type, name: 'B', national_identification_number: passport }, 'ent_number')
  create(world, 0, person, 'ent_email')
  const all = {
    type,
    name: 'A',
    registration_address: address,
    national_identification_number: passport,
  }
  assert.equal(idOf(create(world, 0, { ...all, email: ann.email }, 'ent_4')), 'ent_email')
  assert.equal(idOf(create(world, 0, all, 'ent_4')), 'ent_number')
  const { national_identification_number: _, ...last } = all
  assert.equal(idOf(create(world, 0, last, 'ent_4')), 'ent_address')
})

test('the oracle, §duplicate.rejected: a rejected entity is not compared, and comes back only if free', () => {
  const world: World = []
  create(world, 0, person, 'ent_1')
  review(world, 0, 'ent_1', 'rejected')
  assert.equal(idOf(create(world, 0, person, 'ent_2')), 'ent_2')
  assert.equal(idOf(review(world, 0, 'ent_1', 'approved')), 'entity_duplicate')
  review(world, 0, 'ent_2', 'rejected')
  assert.equal(idOf(review(world, 0, 'ent_1', 'approved')), 'ent_1')
  assert.equal(idOf(create(world, 0, person, 'ent_3')), 'ent_1')
})

test('the oracle, §duplicate.after_change: a change into another: the first comes back, nothing changes', () => {
  const world: World = []
  create(world, 0, person, 'ent_1')
  create(world, 0, { type: 'individual', name: 'Bo' }, 'ent_2')
  const untouched = [...world]
  assert.equal(idOf(update(world, 0, 'ent_2', { email: 'ANN@example.com' })), 'ent_1')
  assert.deepEqual(world, untouched)
  assert.equal(idOf(update(world, 0, 'ent_1', { email: 'ANN@example.com' })), 'ent_1')
  assert.equal(world[0]?.members.email, 'ANN@example.com')
})

test('the oracle, §entity.approval: pending, submitted, requires_action, resubmitted', () => {
  const world: World = []
  create(world, 0, person, 'ent_1')
  submit(world, 0, 'ent_1')
  assert.equal(world[0]?.status, 'submitted')
  assert.equal(idOf(submit(world, 0, 'ent_1')), 'invalid_transition')
  review(world, 0, 'ent_1', 'requires_action')
  submit(world, 0, 'ent_1')
  assert.equal(world[0]?.status, 'resubmitted')
})

test('the oracle, §duplicate.comparison: how texts are compared', () => {
  const equal = [
    ['Straße', 'STRASSE'],
    ['ẞ', 'ss'],
    ['é', 'e\u0301'],
    ['a\u200bb', 'ab'],
    ['\u0085\u00a0a\u3000', 'a'],
    ['\ufeff \u200ba', 'a'],
    ['Νίκος', 'ΝΊΚΟΣ'],
    ['Πρωτομαΐου', 'ΠΡΩΤΟΜΑΪ́ΟΥ'],
    ['e\u034f\u0301', 'é'],
    ['İ', 'i\u0307'],
    ['ᏸ', 'Ᏸ'],
    ['ꭰ', 'Ꭰ'],
    ['ﬁ', 'FI'],
  ]
  for (const [one = '', other = ''] of equal) assert.equal(comparable(one), comparable(other), one)
  const different = [
    ['ı', 'i'],
    ['İ', 'i'],
    ['é', 'e'],
    ['а', 'a'],
    ['a b', 'a  b'],
    ['a b', 'ab'],
    ['a b', 'a\u00a0b'],
    ['a.', 'a'],
    ['ａ', 'a'],
    ['²', '2'],
  ]
  for (const [one = '', other = ''] of different) {
    assert.notEqual(comparable(one), comparable(other), one)
  }
  assert.equal(comparable('\u3000\u200b\u00ad '), '')
  // PropList.txt and DerivedCoreProperties.txt give these totals themselves.
  assert.deepEqual([whiteSpace().length, invisible().length], [25, 4_174])
})

// The service.

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
  const same = { type: 'individual', registration_address: address }
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
