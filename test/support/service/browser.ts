// Opens the console in a real Chromium, logs users in, and checks pages for errors and
// accessibility.
import assert from 'node:assert/strict'
import { access, readFile } from 'node:fs/promises'
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
 * Features that Chromium starts without. The first two are pages of the address bar, which cost a
 * second of processor time for each window. The others are Playwright's own list, which this list
 * replaces.
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
  // CI runs as root, and Chromium's sandbox does not.
  const args = ['--no-sandbox', '--disable-gpu', `--disable-features=${NOT_NEEDED}`]
  return kind.launch({ executablePath: chromium ?? '', args })
}

/** A page and its faults: errors, refused scripts, requests to other hosts. */
export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly faults: string[]
}

export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: address, ...options })
  // Only a hanging operation takes as long, even on a busy machine.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(`error: ${error.message}`))
  page.on('console', message => {
    // Chromium also logs the 4xx answer to a refused form, which is no fault.
    const isAnswer = /the server responded with a status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !isAnswer) faults.push(`console: ${message.text()}`)
  })
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(address) && !url.startsWith('data:')) faults.push(`foreign: ${url}`)
  })
  return { page, context, faults }
}

/** Logs the user in on the page, by a link that sets the password. */
export async function logInOnPage(service: TestService, page: Page, user: string): Promise<void> {
  await page.goto(`/login/link?token=${await makeLink(service, user)}`)
  await page.fill('input[name=password]', PASSWORD)
  await page.click('button:not([type=button])')
  await page.waitForURL(/\/console\//)
}

/** Gives the context a session of the user: a log-in on the page takes a second or two. */
export async function addSession(
  service: TestService,
  context: BrowserContext,
  address: string,
  user: string,
): Promise<void> {
  const value = await makeSession(service, user)
  const cookie = { name: 'corridor', value, url: address, httpOnly: true }
  await context.addCookies([{ ...cookie, sameSite: 'Lax' }])
}

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

interface Rule {
  readonly id: string
  readonly impact: string
  readonly enabled: boolean
  readonly tags: readonly string[]
}

/** What pages have of axe. */
interface Axe {
  readonly _audit: { readonly rules: readonly Rule[] }
  run(where: object, options: object): Promise<{ violations: Violation[] }>
}

/**
 * Checks that axe has no serious or critical finding on the page, but for what `left_out` selects.
 */
export async function assertAccessible(
  page: Page,
  what: string,
  left_out: readonly string[] = [],
): Promise<void> {
  // The page's content security policy forbids a script element, so the debugger's protocol
  // evaluates axe. Playwright would evaluate it in a slower way.
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: AXE })
  const [found, rules] = await page.evaluate(async exclude => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const asked = axe._audit.rules.filter(
      ({ impact, enabled, tags }) =>
        /^(serious|critical)$/.test(impact) &&
        enabled &&
        !/experimental|deprecated/.test(`${tags}`),
    )
    const values = asked.map(({ id }) => id)
    const options = {
      resultTypes: ['violations'],
      runOnly: { type: 'rule', values },
      preload: false,
    }
    const { violations } = await axe.run({ exclude }, { ...options, selectors: false })
    const found = violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0]?.html }))
    return [found, values.length] as const
  }, left_out)
  await debug.detach()
  assert.ok(rules > 60, `${rules} rules`)
  assert.deepEqual(found, [], what)
}
