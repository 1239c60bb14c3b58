// The scenario docs: how long a search of /docs takes, at the server and in a real Chromium, there
// until the first paint.
import { type Browser, chromium } from 'playwright-core'
import { type Figure, onlyRound, percentile } from './figure.ts'
import type { Options } from './options.ts'
import { withTarget } from './target.ts'

/**
 * Searches of one word and of many, that match titles and texts, with no result and with twenty.
 */
const SEARCHES = [
  'quote',
  'quote_expired',
  'idempotency key',
  'verify a webhook signature',
  'POST /v3/payout',
  'why is a payout held for review',
  'a',
  'nothing-says-this',
]

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

export function benchDocs(options: Options): Promise<readonly Figure[]> {
  const rounds = options.quick ? 10 : 50
  options.record('plan', { rounds, searches: SEARCHES })
  return withTarget(options, async ({ address }) => {
    const asked = await timed(rounds, url => askServer(`${address}${url}`))
    // Chromium's own sandbox does not run as root.
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    try {
      const seen = await timed(rounds, url => look(browser, `${address}${url}`))
      return [figure('from the server', asked), figure('in Chromium, painted', seen)]
    } finally {
      await browser.close()
    }
  })
}

async function timed(rounds: number, time: (url: string) => Promise<number>): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < rounds + 1; i += 1) {
    for (const words of SEARCHES) {
      const ms = await time(`/docs/search?q=${encodeURIComponent(words)}`)
      // The first round warms the process up.
      if (i > 0) took.push(ms)
    }
  }
  return took
}

async function askServer(url: string): Promise<number> {
  const from = performance.now()
  const page = await fetch(url)
  await page.text()
  if (page.status !== 200) throw new Error(`${url} has answered ${page.status}`)
  return performance.now() - from
}

/**
 * Milliseconds until the first paint, by the browser's clock. The browser has cached the style
 * sheet, as a reader's has.
 */
async function look(browser: Browser, url: string): Promise<number> {
  const [context = await browser.newContext()] = browser.contexts()
  const [page = await context.newPage()] = context.pages()
  await page.goto(url)
  const painted = await page.evaluate<number>(`new Promise(resolve => {
    const seen = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime
    const look = () => seen() === undefined ? requestAnimationFrame(look) : resolve(seen())
    look()
  })`)
  return painted
}

function figure(name: string, took: readonly number[]): Figure {
  return {
    name: `docs: a search, ${name}, p95`,
    unit: 'ms',
    rounds: onlyRound(percentile(took, 0.95)),
    goals: [{ what: 'value', at_most: 100 }],
  }
}
