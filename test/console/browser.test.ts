/// <reference lib="dom" />
// The console as people use it, in a real Chromium: a payout from the first form to its approval by a
// second person, every screen and the documentation in light and dark, wide and narrow, and pages that
// follow what happens, also over a kill of their service.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { endSessions } from '../../src/accounts/user/session-store.ts'
import type { AccountRole, UserRole } from '../../src/accounts/user/user.ts'
import { startSettling } from '../../src/app/worker/settle-payouts.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  addSession,
  assertAccessible,
  logInOnPage,
  NO_BROWSER,
  openBrowser,
  openPage,
  type WatchedPage,
} from '../support/service/browser.ts'
import { importInto } from '../support/service/importing.ts'
import { addNotedPayee } from '../support/service/notice.ts'
import { type RunningProcess, startProcess } from '../support/service/process.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { share } from '../support/share.ts'
import { giveItems, giveLines, openNostro } from '../support/treasury/open-rows.ts'

const skip = NO_BROWSER ?? false

let service: TestService
let account: Client
let id: string
let payee: string
let address: string
let browser: Browser
let stop: () => Promise<unknown>

before(async () => {
  if (skip !== false) return
  service = await startTestService({ settle: true })
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8' })
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  id = account.account.account_id
  const saved = await account.post('/v3/beneficiary', payoutBody().beneficiary_details)
  payee = saved.json.data.id
  address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const worker = startSettling(service.deps)
  stop = () => worker.stop()
  browser = await openBrowser()
})
after(async () => {
  if (skip !== false) return
  await browser.close()
  await stop()
  await service.close()
})

let people = 0

/** Somebody new with these roles, logged in; those of `enterByPage` use the page of it. */
async function person(
  roles: readonly AccountRole[],
  logIn = enterByCookie,
  options = {},
  role: UserRole = 'member',
): Promise<WatchedPage & { user: string }> {
  people += 1
  const user = `person-${people}`
  await addPerson(service, { user, role, roles: roles.map(of => [id, of]) })
  const opened = await openPage(browser, address, options)
  await logIn(opened, user)
  return { ...opened, user }
}

const enterByPage = ({ page }: WatchedPage, user: string) => logInOnPage(service, page, user)
const enterByCookie = ({ context }: WatchedPage, user: string) =>
  addSession(service, context, address, user)

let invoices = 0

/** Goes through the steps of a payout to the saved payee, up to its last button. */
async function fillPayout(page: Page, amount = '1,000.00'): Promise<void> {
  invoices += 1
  await page.goto(`/console/${id}/payouts/new?to=${payee}`)
  await page.fill('[name=amount]', amount)
  await page.fill('[name=transaction_description]', `Invoice ${invoices}`)
  await page.fill('[name=reference_id]', `INV-${invoices}`)
  await page.click('button:text("Continue")')
  await page.locator('button:text-is("Choose")').first().click()
}

const countPayouts = async () => {
  const [row] = await service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from payouts where account_id = ${id}`
  return row?.count ?? 0
}

test('console in a browser, payout to a saved payee, reviewed, sent by two tabs and a double click: created once, its end shown without a reload', {
  skip,
}, async () => {
  const { page, context, faults } = await person(['maker'])
  const before = await countPayouts()
  await fillPayout(page, '12,000.00')
  const form = await page.evaluate(() => {
    const found = document.querySelector<HTMLFormElement>('form.block')
    return { action: found?.action ?? '', fields: [...new FormData(found as HTMLFormElement)] }
  })
  const send = () =>
    page.evaluate(async ({ action, fields }) => {
      const body = new URLSearchParams(fields as [string, string][])
      return (await fetch(action, { method: 'POST', body })).url
    }, form)
  const [one, two] = await Promise.all([send(), send()])
  assert.equal(one, two)
  await page.click('button:text("Pay")')
  await page.waitForURL(/\/payouts\/pot_/)
  assert.equal(page.url(), one)
  assert.equal(await countPayouts(), before + 1)
  assert.match(await page.innerText('h1'), /^12,000\.00 HKD to Harbour Trading Ltd$/)
  await page.waitForSelector('.lead >> text=succeeded')
  assert.deepEqual(faults, [])
  await context.close()
})

test('console in a browser without JavaScript: payout created, its maker cannot approve it, a second person can', {
  skip,
}, async () => {
  const remove = await addApprovalRule(service, { account_id: id })
  await service.deps.reference.refresh()
  const without_script = { javaScriptEnabled: false }
  const both = await person(['maker', 'approver'], enterByPage, without_script)
  await fillPayout(both.page, '2,000.00')
  await both.page.click('button:text("Pay")')
  await both.page.waitForSelector('.lead >> text=pending approval')
  const payout = both.page.url().replace(/\?.*/, '')
  const own = await both.page.innerText('main')
  assert.match(own, /You created or changed this, so somebody else must approve it/)
  const { page, context } = await person(['approver'], enterByCookie, without_script)
  await page.goto(`/console/${id}/approvals`)
  await page.click('tbody a')
  assert.equal(page.url(), payout)
  await page.click('button:text("Approve")')
  assert.match(await page.innerText('main'), /Your approval is saved/)
  assert.match(await page.innerText('.timeline'), /processing/)
  await remove()
  await service.deps.reference.refresh()
  await context.close()
  await both.context.close()
})

test('log-in in a browser: a button shows the password, which the form sends hidden again', {
  skip,
}, async () => {
  const { page, context, faults } = await openPage(browser, address)
  await page.goto('/login')
  await page.fill('[name=user]', 'nobody')
  await page.fill('[name=password]', 'seven wet otters')
  await page.click('text=Show the password')
  assert.equal(await page.getAttribute('[name=password]', 'type'), 'text')
  await page.click('text=Hide the password')
  assert.equal(await page.getAttribute('[name=password]', 'type'), 'password')
  await page.click('text=Show the password')
  await page.click('button:text-is("Log in")')
  await page.waitForSelector('[role=alert]')
  assert.equal(await page.getAttribute('[name=password]', 'type'), 'password')
  assert.deepEqual(faults, [])
  await context.close()
})

test('console page in a browser: few small files; announces changes without moving rows; goes to the log-in when the session ends', {
  skip,
}, async () => {
  const { page, context, faults, user } = await person(['viewer'])
  const files = new Map<string, number>()
  page.on('response', async answer => {
    if (/event-stream/.test(answer.headers()['content-type'] ?? '')) files.set(answer.url(), 0)
    else files.set(answer.url(), gzipSync(await answer.body().catch(() => Buffer.alloc(0))).length)
  })
  const live = page.waitForRequest(/\/live\?/)
  await page.goto(`/console/${id}`, { waitUntil: 'load' })
  await live
  assert.ok(files.size <= 6, [...files.keys()].join(' '))
  for (const [url, bytes] of files) {
    if (url.endsWith('.js')) assert.ok(bytes <= 25_000, `${url}: ${bytes} bytes`)
    if (url.endsWith('.css')) assert.ok(bytes <= 15_000, `${url}: ${bytes} bytes`)
  }
  await page.goto(`/console/${id}/payouts`)
  const rows = await page.locator('tbody tr').count()
  const made = await pay()
  await page.waitForSelector('#news >> text=Show them')
  assert.equal(await page.locator('tbody tr').count(), rows)
  await page.click('#news a')
  await page.waitForSelector(`a[href$="${made}"]`)
  await page.goto(`/console/${id}`)
  await page.locator('tbody tr').first().hover()
  const first = await page.locator('tbody tr a').first().getAttribute('href')
  await pay()
  await page.waitForSelector('#news >> text=This page has changed')
  assert.equal(await page.locator('tbody tr a').first().getAttribute('href'), first)
  assert.deepEqual(faults, [])
  await endSessions(service.deps.sql, user)
  await page.waitForURL(/\/login/)
  await context.close()
})

test('console in a browser, service killed and restarted: the page says so and misses no change', {
  skip,
}, async () => {
  const env = { DATABASE_URL: service.database.url }
  const user = 'keeper'
  await addPerson(service, { user, roles: [[id, 'viewer']] })
  let served: RunningProcess = await startProcess(env)
  try {
    const { page, context } = await openPage(browser, served.address)
    await addSession(service, context, served.address, user)
    await page.goto(`/console/${id}/payouts`)
    await pay()
    await page.waitForSelector('#news >> text=Show them')
    await page.reload()
    served.signal('SIGKILL')
    await served.ended
    await page.waitForSelector('#news >> text=Corridor does not answer')
    const { port } = new URL(served.address)
    // By another served.
    const missed = await pay()
    served = await startProcess({ ...env, PORT: port })
    await page.waitForSelector('#news >> text=Show them')
    await page.click('#news a')
    await page.waitForSelector(`a[href$="${missed}"]`)
    await context.close()
  } finally {
    await served.kill()
  }
})

async function pay(): Promise<string> {
  const made = await account.post('/v3/payout', payoutBody())
  assert.equal(made.status, 200, made.text)
  return made.json.data.id
}

function payoutBody() {
  invoices += 1
  return {
    amount: 100_000,
    currency: 'HKD',
    type: 'local',
    holding_currency: 'USD',
    purpose: 'supplier_payment',
    transaction_description: `Invoice ${invoices}`,
    reference_id: `INV-${invoices}`,
    local: { fund_transfer_network: 'chats' },
    beneficiary_details: {
      name: 'Harbour Trading Ltd',
      type: 'business',
      destination_details: {
        type: 'bank',
        bank: {
          account_number: '123456789012',
          country: 'HK',
          currency: 'HKD',
          bank_codes: { bank_code: '004' },
        },
      },
    },
  }
}

const OF_ACCOUNT = [
  '',
  '/payouts',
  '/payouts/new',
  '/batches',
  '/batches/new',
  '/approvals',
  '/beneficiaries',
  '/beneficiaries/new?country=BR&currency=BRL',
  '/entities',
  '/entities/new',
  '/transactions',
  '/transactions?as_of=2020-01-01',
  '/reports',
  '/funding',
  '/people',
  '/keys',
  '/events',
  '/webhooks',
  '/webhooks/signature',
  '/sandbox',
]

const OF_INSTALLATION = [
  '',
  '/payouts',
  '/entities',
  '/screening',
  '/exceptions',
  '/files',
  '/accounts',
  '/prices',
  '/prices/USD/HKD',
  '/rails',
  '/rules',
  '/rules/approvals/new',
  '/rules/limits/new',
  '/treasury',
  '/house',
  '/house/new/deal',
  '/months',
  '/reports',
  '/deliveries',
  '/audit',
  '/users',
  '/unread-files',
  '/clock',
  '/income',
]

const OF_DOCS = [
  '',
  '/first-payout',
  '/api/payouts',
  '/errors',
  '/life-of-a-payout',
  '/countries',
  '/countries/in',
  '/failure-codes',
  '/operations',
  '/search?q=key',
]

/** The blocks of a long document that are like those before them: axe takes seconds for them. */
const LEFT_OUT = share(['article > :nth-child(n + 60)'], [])

const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1400, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

/** The page of a nostro with all that it shows: lines, what explains the first, items, matches. */
async function openDesk(name: string): Promise<string> {
  const { owner } = service.database
  const nostro = await openNostro(owner, name)
  const who = { counterparty: 'DE02500105170137075030', counterparty_name: 'Harbour Trading GmbH' }
  await giveLines(owner, nostro, [
    { ...who, amount: -1_234_567_890n, bank_reference: '202611300102', text: 'Invoice, charges' },
    { ...who, amount: -9_500n, bank_reference: '202611300103', text: 'ACCOUNT FEE NOVEMBER' },
  ])
  const payout_id = await pay()
  await giveItems(owner, nostro, [
    { amount: -1_234_560_000n, payout_id, key: '202611300102', kind: 'payout' },
    { amount: -9_500n, payout_id, key: '202611300103', kind: 'payout' },
  ])
  await matchNostro(owner, nostro)
  await owner`update nostros set pool = 'payments' where name = ${name}`
  return `/console/installation/treasury/${name}`
}

for (const [nth, look] of LOOKS.entries()) {
  const name = `${look.colorScheme}, ${look.viewport.width} wide`
  const which = share('every other screen', 'every screen')
  test(`console in a browser, ${which}, ${name}: no serious axe finding, no error, no resource of another site`, {
    skip,
  }, async () => {
    const remove = await addApprovalRule(service, { account_id: id })
    await service.deps.reference.refresh()
    const pim = await importInto(service, account, `${name}.csv`, [payoutBody(), payoutBody()])
    await remove()
    await service.deps.reference.refresh()
    const opened = await person(['maker', 'approver', 'owner'], enterByCookie, look, 'operator')
    const { page, context, faults } = opened
    const paths = [
      ...OF_ACCOUNT.map(path => `/console/${id}${path}`),
      `/console/${id}/payouts/new?to=${payee}`,
      `/console/${id}/payouts/${await pay()}`,
      `/console/${id}/beneficiaries/${payee}/edit`,
      `/console/${id}/beneficiaries/${(await addNotedPayee(service, account)).id}`,
      `/console/${id}/approvals/${pim}`,
      ...OF_INSTALLATION.map(path => `/console/installation${path}`),
      `/console/installation/payouts/${await pay()}`,
      `/console/installation/accounts/${id}`,
      `/console/installation/accounts/${id}/income`,
      `/console/installation/users/person-1`,
      ...OF_DOCS.map(path => `/docs${path}`),
      '/login',
      '/login/password',
      '/login/second-factor',
    ]
    const desk = await openDesk(`eur_${nth}`)
    const full = [desk, `${desk}/statements`, '/console/installation/client-money']
    const all = [...share(everyOther(paths, nth), paths), ...full]
    for (const path of all) {
      const answer = await page.goto(path)
      assert.equal(answer?.status(), 200, path)
      const { bad, wide, cut } = await page.evaluate(() => {
        const isWide = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth
        const isNarrow = ({ textContent, clientWidth }: Element) =>
          (textContent ?? '').trim().length > 8 && clientWidth > 0 && clientWidth < 60
        const parts = [
          ...[...document.querySelectorAll('main :is(.scroll, .card)')].filter(isWide),
          ...[...document.querySelectorAll('main td')].filter(isNarrow),
        ]
        return {
          bad: document.querySelectorAll('.note.bad').length,
          wide: document.documentElement.scrollWidth - innerWidth,
          cut: parts.map(part => part.getAttribute('aria-label') ?? part.textContent),
        }
      })
      assert.equal(bad, 0, path)
      assert.ok(wide <= 0, `${path} is ${wide} pixels too wide`)
      assert.deepEqual(
        cut,
        [],
        `${path}: tables and cards that are too wide, cells that are too narrow`,
      )
      await assertAccessible(page, `${path}, ${name}`, LEFT_OUT)
    }
    await page.goto('/docs/first-payout')
    await page.focus('#in-sh')
    await page.keyboard.press('ArrowRight')
    assert.equal(await page.locator('.in-ts').first().isVisible(), true)
    assert.equal(await page.locator('.in-sh').first().isVisible(), false)
    assert.deepEqual(faults, [])
    await context.close()
  })
}

/** Each in one of the two looks. */
function everyOther(paths: readonly string[], nth: number): string[] {
  return paths.filter((_, i) => i % LOOKS.length === nth)
}
