// The scenario console: how long the server takes for pages of an account with a million payouts
// and for operators' pages, how soon an open page gets the event of a payout, and by how much fifty
// open pages slow payouts down.
import { type ClientRequest, get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { type Figure, onlyRound, percentile, roundOf } from './figure.ts'
import { measureLoad, type Seconds } from './measure.ts'
import type { Options } from './options.ts'
import { fillPayees, indexPayees, RARE_NAME } from './payee-fill.ts'
import { fillPayouts } from './payout-fill.ts'
import { makeBeneficiary, payerOf, payOnce, payoutBody, payoutLoad } from './payouts.ts'
import { inRounds, sayLoad, whole } from './report.ts'
import { type Target, withTarget } from './target.ts'

interface Plan extends Seconds {
  readonly rounds: number
  readonly payouts: number
  /** Requests of each page, and payouts that an open page waits for. */
  readonly pages: number
}

const FULL: Plan = { rounds: 5, payouts: 1_000_000, pages: 300, warm_up_s: 3, load_s: 10 }
const QUICK: Plan = { rounds: 1, payouts: 10_000, pages: 50, warm_up_s: 1, load_s: 3 }

const OPEN_PAGES = 50
const CONNECTIONS = 64
const PASSWORD = 'a password of the bench'
const NOBODY = 'nobody looks'

export function benchConsole(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  const started = { ...options, env: { CORRIDOR_USER: 'bench0' } }
  return withTarget(started, async target => {
    const kept = { status: 'succeeded', kept_answers: 0 } as const
    await fillPayees(target, plan.payouts)
    await fillPayouts(target, plan.payouts, kept)
    await indexPayees(target)
    // The filled payouts have one creation time, which no real payouts share, so this one gets a
    // time of its own.
    const { id } = await payOnce(target, payoutBody('USD→USD', await makeBeneficiary(target)))
    const cookies = await logIn(target, 3)
    const figures: Figure[] = []
    const root = `${target.address}/console/${target.account_id}`
    const desk = `${target.address}/console/installation`
    const pages = [
      ...pagesOf(id).map(([name, path]) => [name, `${root}${path}`] as const),
      ...operatorPages(target.account_id, id).map(path => {
        return [`operators, /${path}`, `${desk}${path && `/${path}`}`] as const
      }),
    ]
    for (const [name, url] of pages) {
      const took = await timePages(url, cookies[0] ?? '', plan.pages)
      const p95 = percentile(took, 0.95)
      figures.push(figure(`${name}, ${whole(plan.payouts)} payouts, p95`, p95, 100))
    }
    const delays = await timeChanges(target, root, cookies[0] ?? '', plan.pages)
    const p99 = percentile(delays, 0.99)
    figures.push(figure('a page is told of a payout after its answer, p99', p99, 1000))
    return [...figures, await costOfPages(options, plan, target, cookies)]
  })
}

function pagesOf(id: string): readonly (readonly [string, string])[] {
  const rare = encodeURIComponent(RARE_NAME)
  return [
    ['the list of payouts', '/payouts'],
    ['the payouts of a state', '/payouts?status=succeeded'],
    ['the payouts to a rare name, largest first', `/payouts?beneficiary_name=${rare}&sort=-amount`],
    ['a rare name in the search box', `/find?q=${rare}`],
    ['an amount in the search box', '/find?q=1234.56'],
    ['one payout', `/payouts/${id}`],
    ['the statement', '/transactions'],
    ['home', ''],
  ]
}

/**
 * The operators' pages that have content; the other pages read the same tables, which are empty.
 */
function operatorPages(account_id: string, payout: string): readonly string[] {
  return [
    '',
    'payouts',
    'payouts?status=succeeded',
    'payouts?status=processing&rail=manual',
    `payouts?account_id=${account_id}`,
    `payouts/${payout}`,
    'entities',
    'screening',
    'exceptions',
    'accounts',
    `accounts/${account_id}`,
    `accounts/${account_id}/income`,
    'income',
    'prices',
    'prices/USD/EUR',
    'treasury',
    'client-money',
    'house',
    'months',
    'reports',
    'rails',
    'rules',
    'deliveries',
    'users',
    'users/bench0',
    'audit',
  ]
}

function figure(name: string, value: number, at_most: number): Figure {
  const goals = [{ what: 'value', at_most }] as const
  return { name: `console: ${name}`, unit: 'ms', rounds: onlyRound(value), goals }
}

/**
 * Makes `count` users with access to the account, and logs them in by the link; returns their
 * cookies.
 */
/** Makes so many operators; returns the cookies of their sessions. */
export async function logIn(target: Target, count: number): Promise<string[]> {
  const cookies: string[] = []
  for (let i = 0; i < count; i += 1) {
    const user = `bench${i}`
    await target.command('user', 'create', user, '--full-name', user, '--role', 'operator')
    await target.command('user', 'give-role', user, 'viewer', '--account', target.account_id)
    const link = await target.command('user', 'login-link', user)
    const token = /token=([\w-]+)/.exec(link)?.[1] ?? ''
    // A service process learns of a new user within half a second.
    await setTimeout(1000)
    const entered = await fetch(`${target.address}/login/link`, {
      method: 'POST',
      body: new URLSearchParams({ token, password: PASSWORD }),
      redirect: 'manual',
      headers: { origin: target.address },
    })
    const cookie = entered.headers.get('set-cookie')?.split(';', 1)[0]
    if (cookie === undefined) throw new Error(`logging in has answered ${await entered.text()}`)
    cookies.push(cookie)
  }
  return cookies
}

/** Milliseconds of each request of a page. */
export async function timePages(url: string, cookie: string, count: number): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < count + 20; i += 1) {
    const from = performance.now()
    const page = await fetch(url, { headers: { cookie }, redirect: 'manual' })
    await page.text()
    if (page.status !== 200) throw new Error(`${url} has answered ${page.status}`)
    // The first 20 requests warm the process up.
    if (i >= 20) took.push(performance.now() - from)
  }
  return took
}

/** Milliseconds from a payout's answer until an open page gets its event. */
async function timeChanges(
  target: Target,
  root: string,
  cookie: string,
  count: number,
): Promise<number[]> {
  const beneficiary = await makeBeneficiary(target)
  const came = new Map<string, number>()
  const stream = open(`${root}/live`, cookie, text => {
    for (const [id] of text.matchAll(/pot_[0-9a-z]{20}/g)) {
      if (!came.has(id)) came.set(id, performance.now())
    }
  })
  await setTimeout(1000)
  const took: number[] = []
  for (let i = 0; i < count; i += 1) {
    const { id } = await payOnce(target, payoutBody('USD→USD', beneficiary))
    const answered = performance.now()
    while (!came.has(id)) {
      if (performance.now() - answered > 10_000) throw new Error(`nobody was told of ${id}`)
      await setTimeout(1)
    }
    took.push((came.get(id) ?? 0) - answered)
  }
  stream.destroy()
  return took
}

function open(url: string, cookie: string, onText: (text: string) => void): ClientRequest {
  const request = get(url, { headers: { cookie } }, answer => {
    answer.setEncoding('utf8').on('data', onText)
    answer.on('error', () => undefined)
  })
  return request.on('error', () => undefined)
}

/** The rate of payouts while pages are open, in turn with the rate without. */
async function costOfPages(
  { generator }: Options,
  plan: Plan,
  target: Target,
  cookies: readonly string[],
): Promise<Figure> {
  const side = await payerOf(target)
  const load = payoutLoad(target.address, [side], CONNECTIONS)
  const measure = async (name: string) => {
    const measured = await measureLoad(generator, target, load, plan)
    sayLoad(name, 'payouts/s', measured)
    return measured
  }
  const whileWatched = async () => {
    const url = `${target.address}/console/${target.account_id}/live`
    const pages = Array.from({ length: OPEN_PAGES }, (_, i) =>
      open(url, cookies[i % cookies.length] ?? '', () => undefined),
    )
    await setTimeout(500)
    const measured = await measure(`${OPEN_PAGES} open pages`)
    for (const page of pages) page.destroy()
    return measured
  }
  const rounds = await inRounds(plan.rounds, async round => {
    // The order alternates from round to round.
    const first = round % 2 === 0 ? await whileWatched() : undefined
    const without = await measure(NOBODY)
    return roundOf(first ?? (await whileWatched()), { [NOBODY]: without.per_second })
  })
  return {
    name: `console: payouts created while ${OPEN_PAGES} pages are open`,
    unit: 'payouts/s',
    rounds,
    goals: [{ what: 'ratio', to: NOBODY, at_least: 0.97 }],
    note: 'One hot account, 64 connections; every page watches that account.',
  }
}
