// Draws random histories of entities that often collide, and runs one against a driver: the oracle
// predicts every answer. It knows the service only as a Driver.
import assert from 'node:assert/strict'
import {
  chance,
  disguised,
  drawMembers,
  NAMES,
  nearly,
  pick,
  type Random,
  same,
} from '../given/entity-disguises.ts'
import {
  create,
  type EntityType,
  type Expected,
  findDuplicate,
  type Members,
  type Modelled,
  review,
  sameBy,
  stored,
  submit,
  update,
  type Verdict,
  type World,
} from './entity-oracle.ts'

export interface Reply {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
  readonly json: any
}

/** The service as histories use it. The driver maps account numbers to accounts. */
export interface Driver {
  create(account: number, body: Members): Promise<Reply>
  update(account: number, id: string, body: Members): Promise<Reply>
  submit(account: number, id: string): Promise<Reply>
  /** The operator's review; it returns a refusal as HTTP would. */
  review(account: number, id: string, status: Verdict): Promise<Reply>
  get(account: number, id: string): Promise<Reply>
}

type Operation =
  | { readonly kind: 'create'; readonly account: number; readonly body: Members }
  | {
      readonly kind: 'update'
      readonly account: number
      readonly id: string
      readonly body: Members
    }
  | { readonly kind: 'submit'; readonly account: number; readonly id: string }
  | {
      readonly kind: 'review'
      readonly account: number
      readonly id: string
      readonly status: Verdict
    }

/** Counts the answers by operation and kind: `create: duplicate by email`. */
export type Tally = Map<string, number>

const OPERATIONS = 30
/** Share of the steps that send several requests of one account at the same time. */
const BURSTS = 0.08
/** Share of the answers that are compared with GET, byte for byte. */
const READ_BACK = 0.12

// The run.

/** Rejects with the seed and the whole history when an answer is not the specification's. */
export async function runHistory(
  driver: Driver,
  seed: number,
  random: Random,
  accounts: readonly [number, number],
  tally: Tally,
): Promise<void> {
  const log: string[] = []
  // The states that the service may be in: after a burst, one for each order that explains its
  // answers.
  let worlds: World[] = [[]]
  try {
    for (let done = 0; done < OPERATIONS; ) {
      const world = worlds[0] as World
      const operations = draw(random, world, accounts)
      done += operations.length
      const readBack = chance(random, READ_BACK) && operations.length === 1
      log.push(...operations.map(operation => JSON.stringify(operation)))
      const replies = await Promise.all(operations.map(operation => perform(driver, operation)))
      log.push(...replies.map(inShort))
      worlds = explain(worlds, operations, replies, tally)
      const [reply] = replies
      if (readBack && reply?.status === 200 && operations[0] !== undefined) {
        const read = await driver.get(operations[0].account, reply.json.data.id)
        assert.equal(read.status, 200)
        assert.equal(reply.text, read.text, 'an answer is byte for byte what GET returns')
      }
    }
    for (const account of accounts) {
      // Every world has the same ids: they come from the answers.
      const own = (worlds[0] as World).filter(e => e.account === account)
      const replies = await Promise.all(own.map(e => driver.get(account, e.id)))
      const found = replies.map(reply => reply.json.data)
      worlds = worlds.filter(world => isSame(world, account, found))
      assert.ok(worlds.length > 0, `at the end another state:\n${JSON.stringify(found)}`)
      assertUnique(found)
    }
    await assertForeign(driver, worlds[0] as World, accounts)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`SEED=${seed} HISTORIES=1\n${log.join('\n')}\n\n${message}`, { cause })
  }
}

function perform(driver: Driver, operation: Operation): Promise<Reply> {
  const { kind, account } = operation
  if (kind === 'create') return driver.create(account, operation.body)
  if (kind === 'update') return driver.update(account, operation.id, operation.body)
  if (kind === 'submit') return driver.submit(account, operation.id)
  return driver.review(account, operation.id, operation.status)
}

function inShort({ status, text, json }: Reply): string {
  if (status !== 200) return `    ${status} ${text}`
  return `    200 ${json.data.id} ${json.data.approval_status}`
}

/**
 * Applies an operation to the world and returns the expected answer. `answered_id` is the id that
 * the service gave a new entity.
 */
function predict(world: World, operation: Operation, answered_id: unknown): Expected {
  const { kind, account } = operation
  if (kind === 'update') return update(world, account, operation.id, operation.body)
  if (kind === 'submit') return submit(world, account, operation.id)
  if (kind === 'review') return review(world, account, operation.id, operation.status)
  const known = world.some(e => e.id === answered_id)
  return create(world, account, operation.body, known ? 'a new one' : String(answered_id))
}

/**
 * The worlds after every order of the operations that gives these answers; fails if there is none.
 */
function explain(
  worlds: readonly World[],
  operations: readonly Operation[],
  replies: readonly Reply[],
  tally: Tally,
): World[] {
  const explained = new Map<string, World>()
  let wanted: Expected[] = []
  let agreed: Expected[] | undefined
  for (const before of worlds) {
    for (const order of orders(operations.map((_, i) => i))) {
      const world = [...before]
      const expected: Expected[] = []
      for (const i of order) {
        expected[i] = predict(world, operations[i] as Operation, replies[i]?.json?.data?.id)
      }
      wanted = expected
      if (!expected.every((e, i) => agrees(e, replies[i] as Reply))) continue
      agreed ??= expected
      explained.set(nameOf(world), world)
    }
  }
  const text = wanted.map(e => JSON.stringify(e)).join(', ')
  assert.ok(agreed, `expected ${text}${operations.length > 1 ? ', or as in another order' : ''}`)
  agreed.forEach((e, i) => {
    const name = `${operations[i]?.kind}: ${e.why}`
    tally.set(name, (tally.get(name) ?? 0) + 1)
  })
  if (operations.length > 1) tally.set('bursts', (tally.get('bursts') ?? 0) + 1)
  return [...explained.values()]
}

function agrees(expected: Expected, { status, json }: Reply): boolean {
  if (expected.status !== status) return false
  if (expected.status === 200) {
    const { id, approval_status } = json.data
    return id === expected.id && approval_status === expected.approval_status
  }
  return json?.errors?.[0]?.reason === expected.reason
}

/**
 * Names a world without its order of creation, which never matters, because no two live entities
 * match.
 */
function nameOf(world: World): string {
  return JSON.stringify(world.map(e => JSON.stringify(e)).sort())
}

function* orders(items: readonly number[]): Generator<readonly number[]> {
  if (items.length <= 1) yield items
  for (const first of items.length > 1 ? items : []) {
    for (const rest of orders(items.filter(item => item !== first))) yield [first, ...rest]
  }
}

const COMPARED = [
  'name',
  'email',
  'vertical',
  'on_behalf_of',
  'description',
  'national_identification_number',
  'registration_number',
  'registration_address',
]

type Found = Members & { readonly id: string; readonly type: EntityType; approval_status: string }

function isSame(world: World, account: number, found: readonly Found[]): boolean {
  const lines = (id: string, type: string, status: string | undefined, members: Members) =>
    JSON.stringify([id, type, status, ...COMPARED.map(name => stored(name, members[name]))])
  const own = world.filter(e => e.account === account)
  const expected = own.map(e => lines(e.id, e.type, e.status, e.members)).sort()
  const answered = found.map(e => lines(e.id, e.type, e.approval_status, e)).sort()
  return expected.join('\n') === answered.join('\n')
}

/** Checks that no two live entities match, by the members that GET shows. */
function assertUnique(found: readonly Found[]): void {
  const live = found.filter(e => e.approval_status !== 'rejected')
  live.forEach((one, i) => {
    for (const other of live.slice(i + 1)) {
      const rule = one.type === other.type ? sameBy(one.type, one, other) : undefined
      assert.equal(rule, undefined, `${one.id} and ${other.id} are live and the same`)
    }
  })
}

async function assertForeign(
  driver: Driver,
  world: World,
  accounts: readonly [number, number],
): Promise<void> {
  const foreign = world.find(e => e.account === accounts[0])
  if (foreign === undefined) return
  const reply = await driver.get(accounts[1], foreign.id)
  assert.equal(reply.status, 404, `another account's entity: ${reply.text}`)
}

// Draws one operation, or a burst of two or three on one account.

function draw(random: Random, world: World, accounts: readonly [number, number]): Operation[] {
  const account = chance(random, 0.7) ? accounts[0] : accounts[1]
  const other = account === accounts[0] ? accounts[1] : accounts[0]
  if (!chance(random, BURSTS)) return [drawOne(random, world, account, other, true)]
  const first = drawOne(random, world, account, other, false)
  const burst = [first]
  const size = chance(random, 0.7) ? 2 : 3
  while (burst.length < size) {
    const again = first.kind === 'create' && chance(random, 0.6)
    burst.push(
      again
        ? { ...first, body: disguised(random, first.body) }
        : drawOne(random, world, account, other, false),
    )
  }
  return burst
}

/**
 * `principals`: whether the body may have on_behalf_of. A burst leaves it out, because another
 * operation could reject that entity at the same time, and this test does not judge which answer
 * then comes first.
 */
function drawOne(
  random: Random,
  world: World,
  account: number,
  other: number,
  principals: boolean,
): Operation {
  const own = world.filter(e => e.account === account)
  const foreign = chance(random, 0.02) ? world.filter(e => e.account === other) : []
  const entity = pick(random, foreign.length > 0 ? foreign : own)
  const roll = random()
  if (entity === undefined || roll < 0.5) {
    const copied = pick(random, own)
    const type: EntityType = copied?.type ?? (chance(random, 0.65) ? 'individual' : 'business')
    const copies = copied !== undefined && chance(random, 0.6)
    const members = copies ? copiedMembers(random, copied, pick(random, own)) : drawMembers(random)
    const body = { name: same(random, pick(random, NAMES)), ...members }
    const kind = chance(random, 0.88) ? type : flipped(type)
    return {
      kind: 'create',
      account,
      body: { type: kind, ...withPrincipal(random, body, own, kind, principals) },
    }
  }
  const { id } = entity
  if (roll < 0.73) {
    const body = drawChange(random, own, entity)
    return {
      kind: 'update',
      account,
      id,
      // A body for a foreign entity has no on_behalf_of: its answer is 404 in any case.
      body: withPrincipal(random, body, own, entity, principals && foreign.length === 0),
    }
  }
  if (roll < 0.82) return { kind: 'submit', account, id }
  const rejected = pick(
    random,
    own.filter(e => e.status === 'rejected'),
  )
  if (rejected !== undefined && chance(random, 0.35)) {
    return { kind: 'review', account, id: rejected.id, status: 'approved' }
  }
  return { kind: 'review', account, id, status: pick(random, VERDICTS) as Verdict }
}

const VERDICTS = [
  'rejected',
  'rejected',
  'rejected',
  'approved',
  'approved',
  'approved',
  'requires_action',
] as const

const flipped = (type: EntityType) => (type === 'individual' ? 'business' : 'individual')

/**
 * Sometimes adds on_behalf_of: a live entity, or, when the body is no duplicate, a rejected or an
 * unknown one.
 */
function withPrincipal(
  random: Random,
  { on_behalf_of: _, ...body }: Members,
  own: World,
  subject: Modelled | EntityType,
  principals: boolean,
): Members {
  const self = typeof subject === 'string' ? undefined : subject.id
  const live = own.filter(e => e.status !== 'rejected' && e.id !== self)
  const principal = pick(random, live)
  // Often the same principal, so that entities on behalf of it meet.
  const usual = live.length > 0 && chance(random, 0.6) ? live[0] : principal
  const sends = chance(random, 0.2)
  const unknown = chance(random, 0.02)
  if (!principals) return body
  if (sends && usual !== undefined) return { ...body, on_behalf_of: usual.id }
  if (!unknown) return body
  const before = typeof subject === 'string' ? {} : subject.members
  const type = typeof subject === 'string' ? subject : subject.type
  const account = own[0]?.account ?? 0
  const members = { ...before, ...body }
  if (findDuplicate(own, { account, type, members }, self) !== undefined) return body
  const rejected = own.find(e => e.status === 'rejected' && e.id !== self)
  return { ...body, on_behalf_of: rejected?.id ?? 'ent_00000000000000000000' }
}

/**
 * Some members anew, another entity's identity, a change that no rule compares, or a cleared
 * member.
 */
function drawChange(random: Random, own: World, entity: Modelled): Members {
  const roll = random()
  const another = pick(
    random,
    own.filter(e => e.id !== entity.id),
  )
  if (roll < 0.4 && another !== undefined) return copiedMembers(random, another, pick(random, own))
  if (roll < 0.48) return { description: same(random, 'as agreed') }
  if (roll < 0.54) return { [pick(random, CLEARED) as string]: null }
  if (roll < 0.59) return chance(random, 0.5) ? entity.members : { type: entity.type }
  if (roll < 0.62 && entity.status !== 'rejected') return { type: flipped(entity.type) }
  const fresh = { name: same(random, pick(random, NAMES)), ...drawMembers(random) }
  const names = Object.keys(fresh).filter(() => chance(random, 0.35))
  return Object.fromEntries(names.map(name => [name, fresh[name as keyof typeof fresh]]))
}

const CLEARED = ['email', 'vertical', 'national_identification_number', 'registration_address']

/**
 * Most members of another entity in a new disguise. Some are near misses, and some are mixed with a
 * third entity, so that different rules find different entities.
 */
function copiedMembers(
  random: Random,
  { members }: Modelled,
  third: Modelled | undefined,
): Members {
  const kept = Object.entries(members).filter(([name]) => name === 'name' || chance(random, 0.8))
  const mixed = chance(random, 0.3) ? Object.entries(third?.members ?? {}) : []
  const half = mixed.filter(() => chance(random, 0.5))
  const body = disguised(random, Object.fromEntries([...kept, ...half]))
  if (!chance(random, 0.15)) return body
  const name = pick(random, ['name', 'email', 'registration_number', 'vertical']) as string
  const text = body[name]
  return typeof text === 'string' ? { ...body, [name]: nearly(random, text) } : body
}
