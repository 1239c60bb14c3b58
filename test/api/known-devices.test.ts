// Strangers keep nobody out: whatever load they make and whatever they guess, a person logs in on a
// device on which they have logged in before. Over sockets, from many addresses.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { DEVICE_DAYS, MOST_ATTEMPTS, MOST_DEVICES } from '../../src/accounts/user/session.ts'
import { endSessions } from '../../src/accounts/user/session-store.ts'
import { updateDisabled } from '../../src/accounts/user/store.ts'
import { assertRefused } from '../support/assert/check.ts'
import {
  type Answer,
  addPerson,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logInByLink, OWN, PASSWORD } from '../support/service/session.ts'

let service: TestService
let port: number
before(async () => {
  const trusted_proxies = { includes: (address: string) => address === '127.0.0.1' }
  service = await startTestService({ trusted_proxies, failed_logins_per_min: 5 })
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  port = (service.app.server.address() as AddressInfo).port
})
after(() => service.close())

const agent = new Agent({ keepAlive: true })
after(() => agent.destroy())

interface From {
  readonly ip: string
  readonly cookie?: string
}

/** Posts over a socket, from an address that the proxy names. */
function post(url: string, body: object, { ip, cookie }: From): Promise<Answer> {
  const headers = {
    ...OWN,
    'content-type': 'application/json',
    'x-forwarded-for': ip,
    ...(cookie !== undefined && { cookie }),
  }
  return new Promise((resolve, reject) => {
    const sent = request({ port, agent, method: 'POST', path: url, headers }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', part => {
        text += part
      })
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, text, json: JSON.parse(text) } as Answer)
      })
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}

const enter = (user: string, password: string, from: From) =>
  post('/v3/session', { user, password }, from)

/** The cookies of an answer, as the browser sends them back. */
function cookiesOf({ headers }: Answer) {
  const cookies = [headers['set-cookie']].flat().map(text => String(text).split(';', 1).join())
  const named = (name: string) => cookies.find(text => text.startsWith(`${name}=`)) ?? assert.fail()
  return { session: named('corridor'), device: named('corridor-device') }
}

const anywhere = () => `198.${randomInt(18, 20)}.${randomInt(256)}.${randomInt(256)}`

/** A user with a password; returns the device on which they have logged in. */
async function personOn(user: string): Promise<From> {
  await addPerson(service, { user })
  await logInByLink(service, user)
  const ip = anywhere()
  const answer = await enter(user, PASSWORD, { ip })
  assert.equal(answer.status, 200, answer.text)
  return { ip, cookie: cookiesOf(answer).device }
}

/** As if strangers had guessed at the user's password from many networks. */
async function closeToStrangers(user: string): Promise<void> {
  await service.database.owner`
    insert into login_attempts (user_name, network)
    select ${user}, '192.0.2.' || n from generate_series(1, ${MOST_ATTEMPTS.of_all + 1}) n`
}

/** Log-ins with random names by 60 connections, until `work` is done; returns their statuses. */
async function underLoad(work: () => Promise<void>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  let is_over = false
  const flood = async (n: number) => {
    for (let i = 0; !is_over; i++) {
      const { status } = await enter(`nobody${n}x${i}`, 'a guess of a stranger', { ip: anywhere() })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const floods = Array.from({ length: 60 }, (_, n) => flood(n))
  try {
    await work()
  } finally {
    is_over = true
    await Promise.all(floods)
  }
  return statuses
}

test('log-in, sixty connections try random names: known devices and sessions still succeed; unknown devices again after the attack', async () => {
  const max = await personOn('max')
  await personOn('mary')
  const office = { ip: '203.0.113.9' }
  const statuses = await underLoad(async () => {
    for (let i = 0; i < 4; i++) {
      const entered = await enter('max', PASSWORD, max)
      assert.equal(entered.status, 200, entered.text)
      const { session } = cookiesOf(entered)
      const again = { ip: max.ip, cookie: session }
      const confirmed = await post('/v3/session/confirm', { password: PASSWORD }, again)
      assert.equal(confirmed.status, 200, confirmed.text)
      const stranger = await enter('mary', PASSWORD, office)
      assert.ok([200, 503].includes(stranger.status), stranger.text)
    }
  })
  // The load was one: most were refused without a hash.
  assert.ok((statuses.get(503) ?? 0) > (statuses.get(401) ?? 0), JSON.stringify([...statuses]))
  assert.equal((await enter('mary', PASSWORD, office)).status, 200)
})

test("log-in refused because the service is busy: no wrong attempt counted, no row, no charge to the network's limit", async () => {
  await personOn('ann')
  const office = { ip: '203.0.113.10' }
  const refused: Answer[] = []
  await underLoad(async () => {
    while (refused.length <= MOST_ATTEMPTS.of_network) {
      const answer = await enter('ann', PASSWORD, office)
      if (answer.status !== 200) refused.push(answer)
    }
  })
  for (const answer of refused) {
    assertRefused(answer, 503, 'service_unavailable')
    assert.equal(answer.headers['retry-after'], '1')
  }
  const rows = await service.database.owner`select from login_attempts where user_name = 'ann'`
  assert.equal(rows.length, 0)
  assert.equal((await enter('ann', PASSWORD, office)).status, 200)
})

test('log-in, wrong passwords from unknown devices: unknown devices blocked for 15 minutes, the known device unaffected', async () => {
  const device = await personOn('bob')
  for (let i = 0; i <= MOST_ATTEMPTS.of_all; i++) {
    const answer = await enter('bob', `a guess of number ${i}`, { ip: `192.0.2.${i}` })
    assert.equal(answer.status, i < MOST_ATTEMPTS.of_all ? 401 : 429)
  }
  const elsewhere = await enter('bob', PASSWORD, { ip: '203.0.113.11' })
  assertRefused(elsewhere, 429, 'rate_limited')
  assert.equal(elsewhere.headers['retry-after'], '900')
  const entered = await enter('bob', PASSWORD, device)
  assert.equal(entered.status, 200, entered.text)
  // Stays closed elsewhere: who logs in on a device has forgotten the guesses of nobody.
  assertRefused(await enter('bob', PASSWORD, { ip: device.ip }), 429, 'rate_limited')
})

test('log-in, wrong passwords on a known device: five checked; unknown and other devices counted separately', async () => {
  const device = await personOn('eve')
  const other = cookiesOf(await enter('eve', PASSWORD, { ip: anywhere() })).device
  const statuses: number[] = []
  for (let i = 0; i < 8; i++) {
    // Another address is no other device.
    const from = { ...device, ip: anywhere() }
    statuses.push((await enter('eve', `a wrong password ${i}`, from)).status)
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
  assertRefused(await enter('eve', PASSWORD, device), 429, 'rate_limited')
  assert.equal((await enter('eve', PASSWORD, { ip: anywhere(), cookie: other })).status, 200)
  assert.equal((await enter('eve', PASSWORD, { ip: anywhere() })).status, 200)
  const rows = await service.database.owner`select from login_attempts where user_name = 'eve'`
  assert.equal(rows.length, MOST_ATTEMPTS.of_network + 1, 'attempts over the limit leave no rows')
})

test('log-in, too many wrong log-ins a minute from one network: 429 before any password is hashed; correct log-ins not counted', async () => {
  await personOn('fay')
  const office = { ip: '203.0.113.12' }
  for (let i = 0; i < 8; i++) assert.equal((await enter('fay', PASSWORD, office)).status, 200)
  const guess = (i: number) => enter(`somebody${i}`, 'a guess of a stranger', office)
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => guess(i)))
  const judged = answers.filter(({ status }) => status === 401)
  assert.ok(judged.length >= 5 && judged.length <= 6, `${judged.length} judged`)
  for (const answer of answers.filter(({ status }) => status !== 401)) {
    assertRefused(answer, 429, 'rate_limited')
    assert.match(String(answer.headers['retry-after']), /^1?\d$/)
  }
  const link = { token: 'x', password: PASSWORD }
  assertRefused(await post('/v3/session/link', link, office), 429, 'rate_limited')
  assert.equal((await enter('somebody', 'a guess', { ip: '203.0.113.13' })).status, 401)
})

test('known device, used by another user, after a new password, log-out everywhere or disabling, too old or eleventh: unknown again', async () => {
  const { owner } = service.database
  const ways: Readonly<Record<string, (user: string, device: From) => Promise<unknown>>> = {
    renewed: user => logInByLink(service, user),
    sent: user => endSessions(service.deps.sql, user),
    async barred(user) {
      await updateDisabled(owner, user, 'Left')
      await updateDisabled(owner, user, '')
    },
    aged: user => owner`
      update known_devices
      set last_login_at = last_login_at - make_interval(days => ${DEVICE_DAYS}, secs => 1)
      where user_name = ${user}`,
    async crowded(user) {
      for (let i = 0; i < MOST_DEVICES; i++) await enter(user, PASSWORD, { ip: anywhere() })
      const rows = await owner`select from known_devices where user_name = ${user}`
      assert.equal(rows.length, MOST_DEVICES)
    },
  }
  const others = await personOn('other')
  for (const [user, forget] of Object.entries(ways)) {
    const device = await personOn(user)
    await closeToStrangers(user)
    assert.equal((await enter(user, PASSWORD, device)).status, 200, user)
    assertRefused(await enter(user, PASSWORD, others), 429, 'rate_limited')
    await owner`delete from login_attempts`
    await forget(user, device)
    await closeToStrangers(user)
    assertRefused(await enter(user, PASSWORD, device), 429, 'rate_limited')
  }
})

test('device cookie: set anew on an unknown device, hidden from scripts and other sites, opens no session', async () => {
  const device = await personOn('gus')
  const planted = await enter('gus', PASSWORD, {
    ip: anywhere(),
    cookie: `corridor-device=corridor_device_${'x'.repeat(49)}`,
  })
  const [, cookie] = [planted.headers['set-cookie']].flat().map(String)
  const shape =
    /^corridor-device=(corridor_device_[\w-]{49}); Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/
  const [, token = ''] = shape.exec(String(cookie)) ?? assert.fail(cookie)
  assert.doesNotMatch(token, /x{49}/)
  assert.notEqual(cookiesOf(planted).device, device.cookie)
  assert.equal(cookiesOf(await enter('gus', PASSWORD, device)).device, device.cookie)
  const asSession = await post(
    '/v3/session/confirm',
    { password: PASSWORD },
    {
      ip: anywhere(),
      cookie: `corridor=${token}`,
    },
  )
  assertRefused(asSession, 401, 'session_over')
  const [row] = await service.database.owner<{ text: string }[]>`
    select string_agg(d::text, '') as text from known_devices d`
  assert.ok(!row?.text.includes(token))
})
