// Settles payouts for tests: runs rounds until nothing is due, makes payouts due now, and gives
// rails the answers of a test. Worker, lanes and ledger are the product's.
import { setTimeout as delay } from 'node:timers/promises'
import { settleOnce } from '../../../src/app/worker/settle-payouts.ts'
import type { PayoutRequest } from '../../../src/payouts/request.ts'
import {
  type Rail,
  type RailPayout,
  type RailReport,
  type RailStatus,
  SIMULATOR,
} from '../../../src/rails/rail.ts'
import type { Deps } from '../../../src/runtime/deps.ts'
import { localPayout } from '../given/bodies.ts'
import type { Client, TestService } from './service.ts'

/** The dependencies with this rail in place of the simulator. */
export function askingRail(deps: Deps, rail: Rail): Deps {
  return { ...deps, rails: new Map([[SIMULATOR, rail]]) }
}

/** Runs rounds of the settling worker until no payout is due. */
export async function settleAll(service: TestService, rail?: Rail): Promise<void> {
  const deps = rail === undefined ? service.deps : askingRail(service.deps, rail)
  // Screens payouts of changed entities at once; the service does so within a second.
  deps.screening.again()
  while ((await settleOnce(deps)) > 0);
}

/**
 * Asks these rails about every payout that is due at the beginning. An account's clock may be a
 * moment ahead of the database's, so it first waits for payouts due within 200 ms. A worker skips a
 * row that another transaction writes, and takes it in its next round; this function repeats rounds
 * until each row had its turn.
 */
export async function settleRound(
  service: TestService,
  rails: Readonly<Record<string, Rail>>,
): Promise<void> {
  const deps = { ...service.deps, rails: new Map(Object.entries(rails)) }
  const names = Object.keys(rails)
  while ((await soonDue(service)) > 0) await delay(10)
  for (let due = await dueOf(service, names); ; ) {
    await settleOnce(deps)
    const left = await dueOf(service, names)
    due = due.filter(question => left.includes(question))
    if (due.length === 0) return
  }
}

async function soonDue({ database }: TestService): Promise<number> {
  const rows = await database.owner`
    select from open_payouts where ask_rail_at > statement_timestamp()
      and ask_rail_at < statement_timestamp() + interval '200 milliseconds'`
  return rows.length
}

/** The due questions to rails, each with its due time, which changes once the rail is asked. */
async function dueOf({ database }: TestService, rails: readonly string[]): Promise<string[]> {
  const rows = await database.owner<{ question: string }[]>`
    select id || ' ' || ask_rail_at as question from open_payouts
    where rail = any (${[...rails]}::text[]) and ask_rail_at <= statement_timestamp()
      and (claimed_until is null or claimed_until <= statement_timestamp())
    union all
    select payout_id || '-' || number || ' ' || ask_again_at from payout_attempts
    where rail = any (${[...rails]}::text[]) and ask_again_at <= statement_timestamp()`
  return rows.map(({ question }) => question)
}

/** Makes local payouts with these changes side by side, as concurrent requests would. */
export function payAll(service: TestService, { account }: Client, changes: readonly object[]) {
  return Promise.all(
    changes.map(change => {
      const request = { ...localPayout, ...change } as PayoutRequest
      const command = {
        account_id: account.account_id,
        account,
        request,
        maker: 'key_1',
        claim: null,
      }
      return service.deps.lanes.createPayout.run(command)
    }),
  )
}

/** Makes the rail's next question about this payout due now. */
export async function makeDue(service: TestService, id: string): Promise<void> {
  await service.database.owner`
    update open_payouts set ask_rail_at = statement_timestamp(), claimed_until = null
    where id = ${id}`
}

/** A rail's report of these steps, after which the rail is not asked again. */
export function report(...statuses: readonly RailStatus[]): RailReport {
  const failure = { code: 'T1', category: 'test', message: 'As the test wants.' }
  const steps = statuses.map(status => ({
    status,
    failure: status === 'failed' || status === 'reversed' ? failure : null,
  }))
  return { steps, ask_again_in_ms: null }
}

export interface ScriptedRail extends Rail {
  /** The calls in order: `submit pot_…` and `inquire pot_…`. */
  readonly calls: string[]
}

/** A rail that answers each call with the next answer, and repeats the last one. */
export function scriptedRail(
  ...answers: readonly (() => Promise<RailReport | undefined>)[]
): ScriptedRail {
  const calls: string[] = []
  const answer = () => {
    const next = answers[Math.min(calls.length, answers.length) - 1]
    return next?.() ?? Promise.resolve(undefined)
  }
  return {
    ...railOf({
      async submit({ id }) {
        calls.push(`submit ${id}`)
        return (await answer()) ?? report()
      },
      inquire({ id }) {
        calls.push(`inquire ${id}`)
        return answer()
      },
    }),
    calls,
  }
}

/** A rail that answers each payout by itself and never forgets one. */
export function railOf(one: {
  submit(payout: RailPayout): Promise<RailReport>
  /** The same as `submit` by default. */
  inquire?(payout: RailPayout): Promise<RailReport | undefined>
}): Rail {
  const { submit, inquire = submit } = one
  return {
    name: 'scripted',
    key_lifetime_ms: null,
    submit: payouts => payouts.map(submit),
    inquire: payouts => payouts.map(inquire),
  }
}

/**
 * The statement lines of these sources, oldest first, as GET /v3/balance_transaction/{id} shows
 * them.
 */
export async function linesOf(service: TestService, client: Client, sources: readonly string[]) {
  const rows = await service.database.owner<{ id: string }[]>`
    select id from balance_transactions
    where account_id = ${client.account.account_id} and source = any (${[...sources]}::text[])
    order by journal_number`
  const answers = await Promise.all(
    rows.map(({ id }) => client.get(`/v3/balance_transaction/${id}`)),
  )
  return answers.map(answer => answer.json.data)
}

export interface RememberingRail extends Rail {
  /** How often each payout was submitted. */
  readonly handed: ReadonlyMap<string, number>
}

/**
 * A rail that pays every submitted payout, remembers it as banks do, and counts the submissions.
 */
export function rememberingRail(): RememberingRail {
  const handed = new Map<string, number>()
  const paid = report('succeeded')
  return {
    ...railOf({
      async submit({ id }) {
        handed.set(id, (handed.get(id) ?? 0) + 1)
        return paid
      },
      inquire: async ({ id }) => (handed.has(id) ? paid : undefined),
    }),
    handed,
  }
}
