// Notifications of people by e-mail and by a webhook: what they tell and what they never tell, one
// message for many, failures that lose nothing and hold up no payout, two processes.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { notifyPeople, startNotifying, waysOf } from '../../src/app/worker/notify-people.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Message, Way } from '../../src/notifications/notification.ts'
import { emailWay, webhookWay } from '../../src/notifications/send.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type MailServer, startMailServer } from '../support/network/mail-server.ts'
import { addEndpoint, startReceiver } from '../support/network/receiver.ts'
import { selfSigned } from '../support/network/self-signed.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

const PUBLIC = 'https://pay.example.com'
const DAY = 86_400_000

let service: TestService
let live: Client
const known = getCACertificates('default')
const own = selfSigned('localhost', Date.now() - DAY, Date.now() + DAY)
before(async () => {
  setDefaultCACertificates([...known, own.cert])
  service = await startTestService({
    public_url: PUBLIC,
    low_balances: [{ currency: 'USD', least: 500_000n }],
  })
  await service.setFees([{ payout_type: 'local' }])
  await service.setRoutes([{}])
  await addPerson(service, { user: 'olga', role: 'operator' })
  live = await service.openAccount({
    currencies: ['USD'],
    fund: { USD: 1_000_000n },
    sandbox: false,
  })
})
after(async () => {
  setDefaultCACertificates(known)
  await service.close()
})

/** A way that keeps what it is given. */
function kept(): Way & { readonly messages: Message[] } {
  const messages: Message[] = []
  return {
    name: 'webhook',
    messages,
    send: async message => {
      messages.push(message)
    },
  }
}

/** Looks now, whatever was looked at a moment ago. */
async function look(...ways: readonly Way[]): Promise<number> {
  await service.database.owner`update notifications set due_at = now() - interval '1 second'`
  return notifyPeople(service.deps, ways, 0)
}

/** What is new since the last look of this way, by one that keeps it. */
async function told(): Promise<readonly Message[]> {
  const way = kept()
  await look(way)
  return way.messages
}

beforeEach(async () => {
  // Nothing of an earlier test is new.
  await look(kept(), { ...kept(), name: 'email' })
})

let made = 0

async function pay(body: object = {}): Promise<string> {
  made += 1
  const payload = { ...localPayout, amount: 1_000, reference_id: `N-${made}`, ...body }
  const answer = await live.post('/v3/payout', payload)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.id
}

test('notification, three payouts of a live account wait for approval: one message with count and link, and no name; those of sandboxes are not told', async () => {
  const { account_id } = live.account
  const remove = await addApprovalRule(service)
  const sandbox = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 6n } })
  for (let i = 0; i < 3; i++) await pay()
  await sandbox.post('/v3/payout', { ...localPayout, amount: 1_000 })
  const way = kept()
  assert.equal(await look(way), 1)
  const [message] = way.messages
  assert.equal(
    message?.text,
    `3 payouts wait for an approval.\n${account_id}: 3 ${PUBLIC}/console/${account_id}/approvals`,
  )
  assert.equal(message?.subject, 'Corridor: 3 payouts wait for an approval')
  // Within the minute nothing is told, and after it nothing is told again.
  assert.equal(await notifyPeople(service.deps, [way], 0), 0)
  assert.equal(await look(way), 0)
  await remove()
})

test('notification by e-mail, STARTTLS and log-in: taken over TLS; without TLS nothing is sent, nor to a server that cannot prove its name', async () => {
  const servers: MailServer[] = []
  const mailTo = async (tls: 'first' | 'starttls' | 'none', cert = own) => {
    const server = await startMailServer({ tls, ...cert, key: String(cert.key) })
    servers.push(server)
    const way = emailWay({
      ...{ host: 'localhost', port: server.port, secure: tls === 'first', require_tls: true },
      ...{ user: 'corridor', password: 'pass:word', from: 'corridor@example.com' },
      to: ['ops@example.com', 'ada@example.com'],
    })
    return { server, way }
  }
  const message = { subject: 'Corridor: 1 rate is stale', text: '1 rate is stale.\nEUR/USD' }
  for (const tls of ['first', 'starttls'] as const) {
    const { server, way } = await mailTo(tls)
    await way.send(message)
    const [mail] = server.taken
    assert.deepEqual(
      [mail?.from, mail?.to, mail?.secured, mail?.user],
      ['corridor@example.com', ['ops@example.com', 'ada@example.com'], true, 'corridor'],
    )
    assert.match(mail?.data ?? '', /^Subject: Corridor: 1 rate is stale$/m)
    assert.match(mail?.data ?? '', /1 rate is stale\.\r\nEUR\/USD/)
  }
  const plain = await mailTo('none')
  await assert.rejects(plain.way.send(message), /smtp: E/)
  const stranger = await mailTo(
    'first',
    selfSigned('localhost', Date.now() - DAY, Date.now() + DAY),
  )
  await assert.rejects(stranger.way.send(message), /smtp: E/)
  const refusing = await mailTo('first')
  refusing.server.refuse('550 ada@example.com is unknown here')
  await assert.rejects(refusing.way.send(message), { message: 'smtp: EENVELOPE 550' })
  assert.deepEqual(
    servers.map(({ taken }) => taken.length),
    [1, 1, 0, 0, 0],
  )
  await Promise.all(servers.map(server => server.close()))
})

test('notification by webhook: {"text"}; an address that is not public gets nothing unless the operator allows it', async () => {
  const receiver = await startReceiver()
  const message = { subject: 'Corridor: hello', text: 'hello' }
  await webhookWay({ url: `${receiver.url}/T1`, allow_private: true }).send(message)
  const [got] = receiver.received
  assert.deepEqual([got?.path, got?.body], ['/T1', '{"text":"hello"}'])
  assert.equal(got?.headers['content-type'], 'application/json')
  const { port } = new URL(receiver.url)
  for (const url of [receiver.url, `https://127.0.0.1:${port}`, `https://localhost:${port}`]) {
    await assert.rejects(webhookWay({ url, allow_private: false }).send(message), {
      message: 'webhook: address not allowed',
    })
  }
  receiver.answer(() => ({ status: 404 }))
  await assert.rejects(webhookWay({ url: receiver.url, allow_private: true }).send(message), {
    message: 'webhook: answered 404',
  })
  await receiver.close()
})

test('notification, way fails: payouts go on, the failure is counted and logged in the table; later one message tells all', async () => {
  const remove = await addApprovalRule(service)
  await pay()
  const receiver = await startReceiver(() => ({ status: 500 }))
  const way = webhookWay({ url: receiver.url, allow_private: true })
  assert.equal(await look(way), 0)
  await pay()
  assert.equal(await look(way), 0)
  const [row] = await service.database.owner<{ failures: number; last_error: string }[]>`
    select failures, last_error from notifications
    where kind = 'approval' and way = 'webhook' and failing_since is not null
      and due_at > now() + interval '100 seconds'`
  assert.deepEqual(row, { failures: 2, last_error: 'webhook: answered 500' })
  const { values } = await service.deps.metrics.notifications.get()
  const failed = values.find(({ labels }) => labels.result === 'failed')
  assert.deepEqual(
    [failed?.value, failed?.labels],
    [2, { kind: 'approval', way: 'webhook', result: 'failed' }],
  )
  const attention = async () => {
    const headers = await logIn(service, 'olga')
    return (await service.inject({ url: '/console/installation', headers })).text
  }
  assert.match(
    await attention(),
    /by a webhook people are notified: <[^>]*>not in order<\/span> webhook: answered 500, since/,
  )
  receiver.answer(() => ({ status: 200 }))
  assert.equal(await look(way), 1)
  assert.match(await attention(), /by a webhook people are notified: <[^>]*>in order<\/span><\/li>/)
  assert.match(receiver.received.at(-1)?.body ?? '', /2 payouts wait for an approval/)
  assert.equal(await look(way), 0)
  await receiver.close()
  await remove()
})

test('notification, payout failed: told once; one that its account has cancelled: not told', async () => {
  const { account_id } = live.account
  const [failing, cancelled] = [await pay(), await pay()]
  assert.equal((await live.post(`/v3/payout/${cancelled}/cancel`, {})).status, 200)
  const failure = { code: 'PF000600', message: 'No.', category: 'rejected' } as const
  await service.deps.lanes.advancePayout.run({
    ...{ account_id, payout_id: failing, by: 'operator' },
    steps: [{ status: 'failed', failure }],
    person: { name: 'anna', reason: 'The bank says so' },
  })
  assert.deepEqual(
    (await told()).map(({ text }) => text),
    [
      `1 payout has failed.\n${account_id}: 1 ` +
        `${PUBLIC}/console/installation/payouts?account_id=${account_id}`,
    ],
  )
})

test('notification, balance falls below its threshold: told once, and not while it stays there', async () => {
  const poor = await service.openAccount({
    ...{ currencies: ['USD'], fund: { USD: 600_000n }, sandbox: false },
  })
  await told()
  const spend = (amount: number) => poor.post('/v3/payout', { ...localPayout, amount })
  assert.equal((await spend(50_000)).status, 200)
  assert.deepEqual(await told(), [])
  assert.equal((await spend(60_000)).status, 200)
  const { account_id } = poor.account
  assert.deepEqual(
    (await told()).map(({ text }) => text),
    [
      `1 balance has become low.\n${account_id}: USD ` +
        `${PUBLIC}/console/installation/accounts/${account_id}`,
    ],
  )
  assert.equal((await spend(70_000)).status, 200)
  assert.deepEqual(await told(), [])
})

test('notification, payout held, exception of a rail, dead endpoint, stale rate: each told in its words', async () => {
  const { account_id } = live.account
  const { owner } = service.database
  const id = await pay()
  await service.deps.lanes.advancePayout.run({
    ...{ account_id, payout_id: id, by: 'operator' },
    steps: [{ status: 'requires_action', failure: null }],
    person: { name: 'anna', reason: 'A document is missing' },
  })
  assert.match((await told())[0]?.text ?? '', /^1 payout waits for an answer of its account\./)

  const endpoint = await addEndpoint(service.database, account_id, 'https://example.com/hook')
  await owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, created_at, updated_at)
    values (${account_id}, ${endpoint.id}, 1, 'whd_1', '', 1, 'payout.created', ${id}, 'dead',
      clock_timestamp(), clock_timestamp())`
  const [dead] = await told()
  assert.match(dead?.text ?? '', /^1 webhook endpoint has stopped working\./)
  assert.ok(dead?.text.endsWith(`${PUBLIC}/console/installation/deliveries`))

  // Good for a little longer: it becomes stale between two looks.
  await service.setPricing({ max_age_s: 3600 })
  const soon = new Date(Date.now() - 3_600_000 + 1_500).toISOString()
  await service.setRates({ 'EUR/USD': '1.1' }, soon)
  await service.deps.reference.refresh()
  assert.deepEqual(await told(), [])
  const texts: string[] = []
  while (texts.length === 0) texts.push(...(await told()).map(({ text }) => text))
  assert.deepEqual(texts, [
    `1 rate is stale: payouts cannot use it.\nEUR/USD\n${PUBLIC}/console/installation/prices`,
  ])
})

test('notification, worker of a service with a webhook set: tells what has happened since it looked last', async () => {
  const { promise: told, resolve } = Promise.withResolvers<string>()
  const receiver = await startReceiver(({ body }) => {
    if (body.includes('endpoint')) resolve(body)
    return { status: 200 }
  })
  const { owner } = service.database
  const { id } = await addEndpoint(service.database, live.account.account_id, 'https://example.com')
  await owner`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'gone',
      updated_at = now() - interval '2 minutes'
    where id = ${id}`
  await owner`
    update notifications set told_until = now() - interval '5 minutes',
      due_at = now() - interval '1 second'`
  const people_webhook = { url: receiver.url, allow_private: true }
  const config = { ...service.deps.config, people_webhook }
  const worker = startNotifying({ ...service.deps, config })
  assert.match(await told, /^\{"text":"1 webhook endpoint has stopped working\./)
  await worker.stop()
  await receiver.close()
})

test('notification, two processes look at the same moment: one message', async () => {
  const remove = await addApprovalRule(service)
  const other = await service.anotherProcess()
  await pay()
  await service.database.owner`update notifications set due_at = now() - interval '1 second'`
  const way = kept()
  const sent = await Promise.all(
    [service.deps, other.deps, service.deps].map(deps => notifyPeople(deps, [way], 0)),
  )
  assert.deepEqual([sent.reduce((sum, count) => sum + count, 0), way.messages.length], [1, 1])
  await other.close()
  await remove()
})

test('settings of notifications: none are sent without them; a mistake is named, and no secret repeated', async () => {
  const { mail, people_webhook, public_url } = readConfig({})
  assert.deepEqual([mail, people_webhook, public_url], [undefined, undefined, ''])
  await startNotifying(service.deps).stop()
  const MAIL = {
    CORRIDOR_SMTP_URL: 'smtp://corridor:s%40crt@mail.example.com',
    CORRIDOR_NOTIFY_FROM: 'corridor@example.com',
    CORRIDOR_NOTIFY_TO: 'ops@example.com, ada@example.com',
  }
  const config = readConfig({
    ...MAIL,
    CORRIDOR_NOTIFY_WEBHOOK_URL: 'https://hooks.example.com/T01',
    CORRIDOR_NOTIFY_LOW_BALANCE: 'USD 10000, JPY 5000',
    CORRIDOR_PUBLIC_URL: 'https://pay.example.com/',
  })
  assert.deepEqual(config.mail, {
    ...{ host: 'mail.example.com', port: 587, secure: false, require_tls: true },
    ...{ user: 'corridor', password: 's@crt', from: 'corridor@example.com' },
    to: ['ops@example.com', 'ada@example.com'],
  })
  assert.deepEqual(config.low_balances, [
    { currency: 'USD', least: 1_000_000n },
    { currency: 'JPY', least: 5_000n },
  ])
  assert.equal(config.public_url, PUBLIC)
  assert.deepEqual(
    waysOf(config).map(({ name }) => name),
    ['email', 'webhook'],
  )
  const local = readConfig({ ...MAIL, CORRIDOR_SMTP_URL: 'smtp://127.0.0.1:2525' })
  assert.equal(local.mail?.require_tls, false)
  const mistakes: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ CORRIDOR_SMTP_URL: 'https://s3cret@mail.example.com' }, /^CORRIDOR_SMTP_URL must be like/],
    [{ ...MAIL, CORRIDOR_NOTIFY_FROM: '' }, /^CORRIDOR_NOTIFY_FROM must be one e-mail address/],
    [{ ...MAIL, CORRIDOR_NOTIFY_TO: '' }, /CORRIDOR_NOTIFY_TO go together/],
    [{ CORRIDOR_NOTIFY_TO: 'ops@example.com' }, /CORRIDOR_NOTIFY_TO go together/],
    [{ CORRIDOR_NOTIFY_TO: 'ops' }, /^CORRIDOR_NOTIFY_TO must be at most 20 e-mail addresses/],
    [{ CORRIDOR_NOTIFY_WEBHOOK_URL: 'http://s3cret.example.com' }, /must be like https:/],
    [{ CORRIDOR_NOTIFY_LOW_BALANCE: 'USD 10.001' }, /^CORRIDOR_NOTIFY_LOW_BALANCE must be like/],
    [{ CORRIDOR_NOTIFY_LOW_BALANCE: 'USD 1, USD 2' }, /one amount for each currency/],
    [{ CORRIDOR_PUBLIC_URL: 'https://pay.example.com/console' }, /^CORRIDOR_PUBLIC_URL must be/],
  ]
  for (const [env, message] of mistakes) {
    assert.throws(() => readConfig(env), { name: 'ConfigError', message })
    assert.throws(
      () => readConfig(env),
      ({ message }: Error) => !message.includes('s3cret'),
    )
  }
})
