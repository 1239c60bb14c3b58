// A real Chromium, in front of a service that listens: what people see is tested as they see it.
import assert from 'node:assert/strict'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { TestService } from './service.ts'
import { makeLink, makeSession, PASSWORD } from './session.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

async function findChromium(): Promise<string | undefined> {
  for (const place of PLACES) {
    const found = await access(place).then(
      () => true,
      () => false,
    )
    if (found) return place
  }
  return undefined
}

const chromium = await findChromium()

/** For `skip`: why there is no browser to test with; undefined when there is one. */
export const NO_BROWSER = chromium === undefined ? 'no Chromium in /usr/bin' : undefined

/**
 * Two pages behind the address bar, which Chromium loads for every window: a second of processor time
 * each time, and nobody sees them. The others are Playwright's, whose list this takes the place of.
 */
const NOT_NEEDED = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

export async function openBrowser(): Promise<Browser> {
  const { chromium: kind } = await import('playwright-core')
  // Chromium's own sandbox does not run as root, as which CI runs.
  const args = ['--no-sandbox', '--disable-gpu', `--disable-features=${NOT_NEEDED}`]
  return kind.launch({ executablePath: chromium ?? '', args })
}

/** A page, and what went wrong in it: errors, refused scripts, requests to other places. */
export interface Watched {
  readonly page: Page
  readonly context: BrowserContext
  readonly faults: string[]
}

export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ baseURL: address, ...options })
  // Only what hangs takes as long, however busy the machine is.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(`error: ${error.message}`))
  page.on('console', message => {
    // A refused form is an answer of 4xx, which Chromium logs as well.
    const isAnswer = /the server responded with a status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !isAnswer) faults.push(`console: ${message.text()}`)
  })
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(address) && !url.startsWith('data:')) faults.push(`foreign: ${url}`)
  })
  return { page, context, faults }
}

/** As the person does it: by a link that sets the password. */
export async function enter(service: TestService, page: Page, user: string): Promise<void> {
  await page.goto(`/login/link?token=${await makeLink(service, user)}`)
  await page.fill('input[name=password]', PASSWORD)
  await page.click('button')
  await page.waitForURL(/\/console\//)
}

/** A user who has logged in before the page is opened: each page of it takes a second or two. */
export async function haveEntered(
  service: TestService,
  context: BrowserContext,
  address: string,
  user: string,
): Promise<void> {
  const value = await makeSession(service, user)
  const cookie = { name: 'corridor', value, url: address, httpOnly: true }
  await context.addCookies([{ ...cookie, sameSite: 'Lax' }])
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** No finding of axe that is serious or critical. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // The policy of the pages forbids a script element; the debugger's protocol evaluates it.
  const { readFile } = await import('node:fs/promises')
  await page.evaluate(await readFile(AXE, 'utf8'))
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0]?.html ?? '' }))
  })
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  assert.deepEqual(serious, [], what)
}
