// The pages of the console as HTTP: who sees which, what a form sends twice, text that means harm, and
// streams that end with their session. test/console/browser.test.ts has what a browser makes of them.
import assert from 'node:assert/strict'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { endSessions } from '../../src/accounts/user/session-store.ts'
import type { AccountRole, UserRole } from '../../src/accounts/user/user.ts'
import { localPayout } from '../support/given/bodies.ts'
import { until } from '../support/service/process.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, logInByLink, PASSWORD, sendForm } from '../support/service/session.ts'

/** In every text that a caller can set. */
const HOSTILE = `</td><script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;`

let service: TestService
let account: Client
let id: string
let payout: string
before(async () => {
  service = await startTestService()
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  id = account.account.account_id
  payout = await pay(HOSTILE)
  await service.app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => service.close())

async function pay(text: string): Promise<string> {
  const { beneficiary_details, ...rest } = localPayout
  const made = await account.post('/v3/payout', {
    ...rest,
    transaction_description: text,
    reference_id: text,
    metadata: { [text.slice(0, 40)]: text },
    beneficiary_details: { ...beneficiary_details, name: text },
  })
  assert.equal(made.status, 200, made.text)
  return made.json.data.id
}

let people = 0

async function person(roles: readonly AccountRole[], role: UserRole = 'member') {
  people += 1
  const user = `reader-${people}`
  await addPerson(service, { user, role, roles: roles.map(given => [id, given]) })
  return { user, headers: await logIn(service, user) }
}

type Headers = Awaited<ReturnType<typeof person>>['headers']

const look = (headers: Partial<Headers>, url: string) => service.inject({ url, headers })

const send = (headers: Partial<Headers>, url: string, form: Record<string, string>) =>
  sendForm(service, headers, url, form)

const SCREENS = [
  '',
  '/payouts',
  '/payouts/new',
  '/batches',
  '/approvals',
  '/beneficiaries',
  '/entities',
  '/transactions',
  '/conversions',
  '/conversions/new',
  '/reports',
  '/events',
  '/webhooks',
  '/sandbox',
]

test('console page without a session: redirected to the log-in, then back to the page', async () => {
  const host = { host: '127.0.0.1:8080' }
  const answer = await look(host, `/console/${id}/payouts?status=failed`)
  assert.equal(answer.status, 303)
  const to = String(answer.headers.location)
  assert.equal(to, `/login?next=${encodeURIComponent(`/console/${id}/payouts?status=failed`)}`)
  const form = await look(host, to)
  assert.match(form.text, /name="next" value="\/console\/acc_/)
  const elsewhere = await look(host, '/login?next=https://example.com/console')
  assert.match(elsewhere.text, /name="next" value="\/console"/)
})

test('console, each role: reads every page of its account; hostile text shown as text', async () => {
  for (const role of ['viewer', 'maker', 'approver'] as const) {
    const { headers } = await person([role])
    for (const path of [...SCREENS, `/payouts/${payout}`]) {
      const { status, text, headers: sent } = await look(headers, `/console/${id}${path}`)
      assert.equal(status, 200, `${role} ${path}: ${text}`)
      assert.equal(/<script>|<img/.test(text), false, path)
      assert.match(String(sent['content-security-policy']), /default-src 'none'/)
      assert.equal(/New payout/.test(text) && role !== 'maker' && path === '', false)
    }
  }
})

test('entities page, status filter: the API knows every option', async () => {
  const { headers } = await person(['viewer'])
  const { text } = await look(headers, `/console/${id}/entities`)
  const [, select = ''] =
    /<select[^>]*name="approval_status"[^>]*>(.*?)<\/select>/s.exec(text) ?? []
  const offered: readonly string[] = select.match(/(?<=value=")\w+/g) ?? []
  assert.ok(offered.includes('requires_action'))
  for (const status of offered) {
    const page = await look(headers, `/console/${id}/entities?approval_status=${status}`)
    assert.equal(page.status, 200, status)
  }
})

test('payout page, payout cancelled: shows the code of its failure and what to do', async () => {
  const own = await pay('cancelled')
  const cancelled = await account.post(`/v3/payout/${own}/cancel`, {})
  assert.equal(cancelled.status, 200, cancelled.text)
  const { headers } = await person(['viewer'])
  const { text } = await look(headers, `/console/${id}/payouts/${own}`)
  assert.match(text, /What to do:<\/strong> Pay again if you still want to\./)
  assert.match(text, /<a href="\/docs\/failure-codes#pf000100"><code>PF000100</)
})

test('console page of an account without a role: 403 without details, also for an operator', async () => {
  const other = await service.openAccount()
  const { headers } = await person(['viewer'])
  const operator = await person([], 'operator')
  for (const by of [headers, operator.headers]) {
    const refused = await look(by, `/console/${other.account.account_id}`)
    const unknown = await look(by, '/console/acc_00000000')
    assert.deepEqual([refused.status, unknown.status], [403, 403])
    assert.equal(refused.text, unknown.text)
  }
})

test('installation pages: for operators and auditors; an auditor has no way to change anything', async () => {
  const operator = await person([], 'operator')
  const auditor = await person([], 'auditor')
  const member = await person(['maker'])
  const form = { reason: 'looked into', key: 'k1' }
  const freeze = `/console/installation/accounts/${id}/freeze`
  for (const path of ['', '/accounts', '/audit', `/payouts/${payout}`]) {
    const url = `/console/installation${path}`
    assert.equal((await look(operator.headers, url)).status, 200, path)
    assert.equal((await look(auditor.headers, url)).status, 200, path)
    assert.equal((await look(member.headers, url)).status, 403, path)
  }
  for (const { headers } of [auditor, member]) {
    assert.equal((await send(headers, freeze, form)).status, 403)
  }
  const done = await send(operator.headers, freeze, form)
  assert.equal(done.headers.location, `/console/installation/accounts/${id}?done=saved`, done.text)
  await send(operator.headers, freeze.replace('freeze', 'unfreeze'), form)
  const log = await look(operator.headers, `/console/installation/audit?by=${operator.user}`)
  assert.match(log.text, /looked into/)
})

test('console form sent twice with its key: executed once; amounts read exactly', async () => {
  const { headers } = await person(['maker'])
  const url = `/console/${id}/sandbox/fund`
  const balance = async () => {
    const { json } = await account.get('/v3/balance')
    return BigInt(json.data.available[0].amount)
  }
  const before = await balance()
  const form = { amount: '1,234.56', currency: 'USD', key: 'the same form' }
  for (let i = 0; i < 3; i += 1) assert.equal((await send(headers, url, form)).status, 303)
  assert.equal((await balance()) - before, 123_456n)
  for (const amount of ['1.234', '1,23', 'a', '-5', '0', '9'.repeat(40), '']) {
    const refused = await send(headers, url, { ...form, amount, key: `k${amount}` })
    assert.equal(refused.status, 400, amount)
    assert.match(refused.text, /role="alert"/)
  }
  assert.equal((await balance()) - before, 123_456n)
})

/** What the form of the page has in its fields. */
function fieldsOf(text: string): Record<string, string> {
  const [form = ''] =
    /<form[^>]*method="post"[\s\S]*?<\/form>/.exec(text.split('<main')[1] ?? '') ?? []
  const given = (tag: string) => /value="([^"]*)"/.exec(tag)?.[1] ?? ''
  const inputs = form.matchAll(/<input[^>]*name="([^"]+)"[^>]*>/g)
  return Object.fromEntries(Array.from(inputs, ([tag, name]) => [name, given(tag)]))
}

test('payee form, refused: shown again with its values, the problem at its field in words', async () => {
  const { headers } = await person(['maker'])
  const url = `/console/${id}/beneficiaries/new?country=HK&currency=HKD&way=local.0`
  const bank = 'destination_details.bank'
  const filled = {
    ...fieldsOf((await look(headers, url)).text),
    name: 'Harbour Trading Ltd',
    type: 'business',
    [`${bank}.account_number`]: '123456789012',
  }
  const refused = await send(headers, url, { ...filled, [`${bank}.bank_codes.bank_code`]: '4' })
  assert.equal(refused.status, 400, refused.text)
  assert.match(refused.text, /role="alert"[\s\S]*A bank code of Hong Kong has 3 digits/)
  const [field = ''] = /<input[^>]*bank_codes\.bank_code"[^>]*>/.exec(refused.text) ?? []
  assert.match(field, /aria-invalid="true"/, refused.text)
  assert.match(refused.text, /<input[^>]*value="Harbour Trading Ltd"/)
  const [main = ''] = /<main[\s\S]*?<details class="calls">/.exec(refused.text) ?? []
  assert.doesNotMatch(main.replace(/<[^>]+>/g, ''), /bank_code|destination_details/)
})

test('console path with encoded dots, slashes or a query: reaches no other page', async () => {
  const { headers } = await person(['viewer'], 'operator')
  for (const name of [
    '..%2Fbalance',
    `${payout}%2Ftimeline`,
    '%2e%2e',
    `${payout}%3Fx=1`,
    'a%00b',
  ]) {
    const { status, text } = await look(headers, `/console/${id}/payouts/${name}`)
    assert.equal(status, 404, `${name}: ${text}`)
  }
})

test('console search: an id or a reference opens its page; a hostile text is shown as text', async () => {
  const { headers } = await person(['viewer'])
  const find = (q: string) => look(headers, `/console/${id}/find?${new URLSearchParams({ q })}`)
  assert.equal((await find(payout)).headers.location, `/console/${id}/payouts/${payout}`)
  assert.equal((await find(HOSTILE)).headers.location, `/console/${id}/payouts/${payout}`)
  const { status, text } = await find(`${HOSTILE} x`)
  assert.equal(status, 200, text)
  assert.equal(text.includes('<script>alert'), false)
  assert.match(text, /&lt;script/)
})

test('console, CSV download of a list: exact amounts, no formula in a cell', async () => {
  await pay('=HYPERLINK("https://example.com")')
  const { headers } = await person(['viewer'])
  const { text, status } = await look(headers, `/console/${id}/payouts.csv?status=processing`)
  assert.equal(status, 200)
  const [names = '', newest = ''] = text.split('\r\n')
  assert.equal(
    names,
    'Payee,Amount,Currency,Debit with fees,Of which fees,Debit currency,State,Type,Your reference,Made by,Created,Account,Id',
  )
  assert.match(
    newest,
    /^"'=HYPERLINK\(""https:\/\/example\.com""\)",[\d.]+,USD,[\d.]+,[\d.]+,USD,processing,local,/,
  )
})

test('console, batch from CSV: dry run names each fault by line, then created once', async () => {
  const { headers } = await person(['maker'])
  const url = `/console/${id}/batches/new`
  const count = async () => {
    const [row] = await service.database.owner<{ count: number }[]>`
      select count(*)::integer as count from payouts where account_id = ${id}`
    return row?.count ?? 0
  }
  const header =
    'amount_major,currency,type,local.fund_transfer_network,purpose,transaction_description,' +
    'beneficiary.name,beneficiary.type,beneficiary.account_number,beneficiary.country,' +
    'beneficiary.bank_codes.bank_code'
  const row = (amount: string, bank = '004') =>
    `${amount},HKD,local,chats,supplier_payment,Salary,Wing "W" Chan,individual,123456789012,HK,${bank}`
  const csvOf = (...rows: string[]) => [header, ...rows].join('\r\n').replaceAll('"W"', '')
  const before = await count()
  const sent = (csv: string, more: Record<string, string> = {}) =>
    send(headers, url, { csv, mode: 'all_or_nothing', key: 'batch', ...more })
  const unknown = await sent('nonsense\r\n1')
  assert.equal(unknown.status, 400)
  assert.match(unknown.text, /Line 1: /)
  const wrong = await sent(csvOf(row('10.00'), row('1.234')))
  assert.match(wrong.text, /Line 3, Amount: is not an amount in HKD/)
  const refused = await sent(csvOf(row('10.00'), row('11.00', '4')))
  assert.match(refused.text, /Line 3, Bank code: /)
  const good = csvOf(row('10.00'), row('11.00'))
  const checked = await sent(good, { check: 'yes' })
  assert.match(checked.text, /no payout is created yet/)
  assert.equal(await count(), before)
  const made = await sent(good)
  const again = await sent(good)
  assert.equal(made.status, 303, made.text)
  assert.equal(made.headers.location, again.headers.location)
  assert.equal(await count(), before + 2)
  const page = await look(headers, String(made.headers.location))
  assert.equal(page.status, 200)
})

/** What the stream of a page has said so far. */
interface Live {
  read: string
  isOver: boolean
  close(): void
}

/** Opens the stream of a page; resolves when it has begun. */
function watch(headers: Headers, after = ''): Promise<Live> {
  const { port } = service.app.server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  return new Promise((resolve, reject) => {
    const url = `http://${host}/console/${id}/live?after=${after}`
    const request = get(url, { headers: { ...headers, host } }, answer => {
      const live = { read: '', isOver: false, close: () => void request.destroy() }
      answer.setEncoding('utf8').on('data', (part: string) => {
        live.read += part
        resolve(live)
      })
      answer
        .on('error', () => {})
        .on('end', () => {
          live.isOver = true
        })
    }).on('error', reject)
  })
}

test('live console page: receives changes since the page was read, until its session ends', async () => {
  const { headers, user } = await person(['viewer'])
  const page = await look(headers, `/console/${id}`)
  const between = await pay('between')
  const live = await watch(headers, /data-seen="(\d+)"/.exec(page.text)?.[1])
  await until('what was before is told', () => live.read.includes(between))
  const later = await pay('later')
  await until('what is new is told', () => live.read.includes(later))
  await endSessions(service.deps.sql, user)
  await until('the stream ends', () => live.isOver)
  assert.match(live.read, /event: over\ndata: \{\}\n\n$/)
})

test('console form refused after a correct password: shown again without a password field', async () => {
  await addPerson(service, { user: 'olga', role: 'operator' })
  const headers = await logInByLink(service, 'olga')
  await service.database.owner`
    update sessions set confirmed_at = confirmed_at - interval '6 minutes' where user_name = 'olga'`
  const path = `/console/installation/accounts/${id}`
  const asks = ({ text }: { readonly text: string }) => text.includes('name="password"')
  assert.ok(asks(await look(headers, path)))
  const password = PASSWORD
  const refused = await send(headers, `${path}/unfreeze`, { password, reason: 'It is not frozen.' })
  assert.equal(refused.status, 409, refused.text)
  assert.ok(!asks(refused))
})

test('live console page, more than 100 events missed: says that anything may have changed', async () => {
  const { headers } = await person(['viewer'])
  const page = await look(headers, `/console/${id}`)
  const seen = /data-seen="(\d+)"/.exec(page.text)?.[1]
  const payouts = Array.from({ length: 60 }, () => ({ ...localPayout, allow_duplicate: true }))
  assert.equal((await account.post('/v3/payout_batch', { payouts })).status, 200)
  const live = await watch(headers, seen)
  await until('the change is told', () => live.read.includes('event: changed'))
  assert.match(live.read, /data: \["\*"\]/)
  live.close()
})

test('live console page opened while sessions are checked: its own session is not ended', async () => {
  const first = await watch((await person(['viewer'])).headers)
  const { headers } = await person(['viewer'])
  const deps = service.deps as { inTurn: typeof service.deps.inTurn }
  const { inTurn } = deps
  const [reads, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // Nothing is asked now: the next turn is that of the loop, which reads the sessions of pages.
  deps.inTurn = async (turn, work) => {
    deps.inTurn = inTurn
    const found = await inTurn(turn, work)
    reads.resolve()
    await opened.promise
    return found
  }
  await reads.promise
  const second = await watch(headers)
  opened.resolve()
  const paid = await pay('meanwhile')
  const areTold = () => [first, second].every(({ read }) => read.includes(paid))
  await until('both are told', () => second.isOver || areTold())
  for (const { read, close } of [first, second]) {
    assert.doesNotMatch(read, /event: over/)
    close()
  }
})
