// Time tells nothing of wrong credentials: neither what is wrong with them, over HTTP, nor whether a
// key or a user is known, where that is judged. How much two times may differ is measured beside them,
// and so is a difference that must be seen. Times are the processor's in the usual run, in which the
// clock tells what else the machine does, and the clock's in the long one.
import assert from 'node:assert/strict'
import { Agent, createServer, request } from 'node:http'
import { after, before, type TestContext, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { markKeyRevoked } from '../../src/accounts/store.ts'
import { MOST_ATTEMPTS } from '../../src/accounts/user/session.ts'
import { countAttempt, findPassword, keepRefused } from '../../src/accounts/user/session-store.ts'
import { updateDisabled } from '../../src/accounts/user/store.ts'
import { logIn } from '../../src/console/session/operations.ts'
import { authenticate } from '../../src/http/authenticate.ts'
import { openLimits } from '../../src/http/limits.ts'
import { type Refusal, refusal } from '../../src/values/errors.ts'
import { wrongCredentials } from '../support/given/credentials.ts'
import { listenOn } from '../support/network/port.ts'
import { seeded } from '../support/service/process.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logInByLink } from '../support/service/session.ts'
import { LONG, share } from '../support/share.ts'

let service: TestService
let account: Client
let wrong: Readonly<Record<string, string>>
before(async () => {
  service = await startTestService({ failed_logins_per_min: 0 })
  account = await service.openAccount()
  const revoked = await service.addKey(account, 'write')
  await markKeyRevoked(service.deps.sql, revoked.key_id)
  await service.deps.reference.refresh()
  wrong = wrongCredentials(account, revoked)
})
after(() => service.close())

/** Times are told apart by this much of their median, or by twice what the same kind differs. */
const SHARE = 0.1
/** While chance may have decided, as many rounds are measured again, at most so often. */
const TRIES = 12

/** Of the same kind as `SAME`, so that they differ by chance alone. */
const AGAIN = 'the same again'
const SAME = 'wrong secret'
/** Differs from `SAME`, and must be seen to. */
const CONTROL = 'control'

function now_ms(): number {
  if (LONG) return performance.now()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

type Measure = () => Promise<number> | number

const random = seeded(1)

/** Each kind once a round, in an order that chance makes anew: none comes behind the same always. */
async function measureInto(
  times: Map<string, number[]>,
  kinds: ReadonlyMap<string, Measure>,
  rounds: number,
): Promise<void> {
  // The first ones warm up.
  for (let i = -rounds / 10; i < rounds; i++) {
    const drawn = [...kinds].map(one => ({ one, at: random() })).sort((a, b) => a.at - b.at)
    for (const { one } of drawn) {
      const [kind, measure] = one
      const took_ms = await measure()
      if (i >= 0) times.get(kind)?.push(took_ms) ?? times.set(kind, [took_ms])
    }
  }
}

function medianOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

interface Told {
  /** Kinds that time tells apart. */
  readonly apart: readonly string[]
  /** Whether the control is told apart from what it differs from. */
  readonly seen: boolean
}

function tellApart(t: TestContext, times: ReadonlyMap<string, readonly number[]>): Told {
  const medians = new Map([...times].map(([kind, some]) => [kind, medianOf(some)]))
  const of = (kind: string) => medians.get(kind) ?? Number.NaN
  const tolerance = Math.max(SHARE * of(SAME), 2 * Math.abs(of(SAME) - of(AGAIN)))
  const us = (ms: number) => (1_000 * ms).toFixed(1)
  const said = [...medians].map(([kind, median]) => `${kind} ${us(median)}`).join(', ')
  t.diagnostic(`medians in µs, told apart by ${us(tolerance)}: ${said}`)
  const kinds = [...medians.keys()].filter(kind => kind !== CONTROL)
  const apart = kinds.flatMap((a, i) =>
    kinds.slice(i + 1).flatMap(b => {
      const difference = Math.abs(of(a) - of(b))
      return difference <= tolerance ? [] : [`${a} and ${b} differ by ${us(difference)} µs`]
    }),
  )
  return { apart, seen: Math.abs(of(CONTROL) - of(SAME)) > tolerance }
}

/** The control is seen, and nothing else. */
async function assertAlike(t: TestContext, kinds: ReadonlyMap<string, Measure>, rounds: number) {
  let told: Told = { apart: [], seen: false }
  const times = new Map<string, number[]>()
  for (let i = 0; i < TRIES && (!told.seen || told.apart.length > 0); i++) {
    await measureInto(times, kinds, rounds)
    told = tellApart(t, times)
  }
  assert.deepEqual(told, { apart: [], seen: true })
}

test('wrong credentials over HTTP, every kind: equal response time; a difference of a fifth is detected', async t => {
  let late_ms = 0
  // The service, with a delay before it for the control.
  const server = createServer((incoming, response) => {
    const until = incoming.url?.endsWith('?late') ? now_ms() + late_ms : 0
    if (until > 0) incoming.url = '/v3/balance'
    while (now_ms() < until);
    service.app.routing(incoming, response)
  })
  const port = await listenOn(server)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const time = (authorization: string, query = '') =>
    timeOf(`http://127.0.0.1:${port}/v3/balance${query}`, agent, authorization)
  const same = wrong[SAME] ?? ''
  try {
    const first = new Map<string, number[]>()
    await measureInto(first, new Map([[SAME, () => time(same)]]), share(200, 2_000))
    late_ms = 0.2 * medianOf(first.get(SAME) ?? [])
    const kinds = new Map<string, Measure>(
      Object.entries(wrong).map(([kind, authorization]) => [kind, () => time(authorization)]),
    )
    kinds.set(AGAIN, () => time(same)).set(CONTROL, () => time(same, '?late'))
    await assertAlike(t, kinds, share(150, 1_000))
  } finally {
    agent.destroy()
    server.close()
  }
})

function timeOf(url: string, agent: Agent, authorization: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = now_ms()
    const asked = request(url, { agent, headers: { authorization } }, response => {
      assert.equal(response.statusCode, 401)
      response.resume().on('end', () => resolve(now_ms() - started))
    })
    asked.on('error', reject).end()
  })
}

/** Whether this is let in, or with which status it is refused. */
async function openJudge() {
  // What blocks this process for seconds keeps it from looking whether a key was revoked.
  await service.deps.reference.refresh()
  const limits = openLimits({ rate_limit_per_s: 1_000_000, failed_logins_per_min: 1_000_000 })
  const means = { limits, findSession: async () => undefined, allowed_hosts: [] }
  const reference = service.deps.reference.current()
  const judge = (authorization: string) => {
    const request = { headers: { authorization }, ip: '192.0.2.1' }
    void authenticate(request as FastifyRequest, reference, 'read', means)
  }
  return judge
}

function statusOf(judge: () => void): number {
  try {
    judge()
    return 200
  } catch (error) {
    return (error as Refusal).status
  }
}

/** Judged so often at a time: one alone takes less than a clock tells well. */
const AT_A_TIME = 20

test('API keys, unknown, wrong and revoked: checked in equal time; a skipped hash is detected', async t => {
  const judge = await openJudge()
  const measure = (judged: () => void) => () => {
    const started = now_ms()
    for (let i = 0; i < AT_A_TIME; i++) assert.equal(statusOf(judged), 401)
    return (now_ms() - started) / AT_A_TIME
  }
  const judged = ['unknown key', SAME, 'revoked key', 'revoked key, wrong secret']
  const kinds = new Map<string, Measure>(
    [...judged, AGAIN].map(kind => {
      const authorization = wrong[kind === AGAIN ? SAME : kind] ?? assert.fail(kind)
      return [kind, measure(() => judge(authorization))]
    }),
  )
  const { keys } = service.deps.reference.current()
  // As somebody in a hurry would write it.
  const hasty = (authorization: string) => {
    const text = Buffer.from(authorization.slice(6), 'base64').toString('utf8')
    if (!keys.has(text.slice(0, text.indexOf(':')))) throw refusal('invalid_credentials', '')
    judge(authorization)
  }
  kinds.set(
    CONTROL,
    measure(() => hasty(wrong['unknown key'] ?? '')),
  )
  await assertAlike(t, kinds, share(100, 500))
})

/** People log in, one after the other, with names that are there and with names that are not. */
async function logInsOf(users: Readonly<Record<string, string>>): Promise<Map<string, Measure>> {
  const { deps } = service
  const { sql } = deps
  const { owner } = service.database
  let address = 0
  const enter = (user: string) => async () => {
    // Nobody is told to wait, and no attempt is slower for those before it.
    await owner`delete from login_attempts`
    const ip = `192.0.2.${++address % 250}`
    const started = now_ms()
    const guess = logIn(deps, { user, password: 'a guess, long enough' }, { ip, device: undefined })
    await assert.rejects(guess, /No user has/)
    return now_ms() - started
  }
  const kinds = new Map(Object.entries(users).map(([kind, user]) => [kind, enter(user)] as const))
  // As somebody in a hurry would write it: who is not there needs no hash.
  const hasty = async () => {
    await owner`delete from login_attempts`
    const started = now_ms()
    const network = '192.0.2.251'
    const source = { user_name: 'nobody', network, device: null, means: 'password' as const }
    const attempt = await countAttempt(sql, source, MOST_ATTEMPTS)
    if (attempt !== undefined && (await findPassword(sql, 'nobody')) === undefined) {
      await sql.begin(tx => keepRefused(tx, attempt, 'wrong password'))
    }
    return now_ms() - started
  }
  return new Map<string, Measure>([...kinds, [CONTROL, hasty]])
}

test('log-ins of existing, unknown, passwordless and disabled users: checked in equal time; a skipped hash is detected', async t => {
  for (const user of ['known', 'again', 'without', 'gone']) await addPerson(service, { user })
  for (const user of ['known', 'again', 'gone']) await logInByLink(service, user)
  await updateDisabled(service.deps.sql, 'gone', 'Left')
  const kinds = await logInsOf({
    [SAME]: 'known',
    [AGAIN]: 'again',
    'no such user': 'nobody',
    'no password': 'without',
    'has left': 'gone',
  })
  await assertAlike(t, kinds, share(5, 40))
})
