// Measures how long a service with many entities works on a new list: its worker compares each
// entity again with 60,000 listed names, while the same process answers requests.
import { setTimeout as delay } from 'node:timers/promises'
import type { ListedEntry } from '../../src/screening/screening.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { asOwner } from '../database.ts'
import type { Options } from '../options.ts'
import { say, whole } from '../report.ts'
import { type ServiceProcess, type Target, withTarget } from '../target.ts'
import { ordinaryName } from './ordinary-names.ts'
import type { Random } from './random.ts'
import { importEntries } from './rate.ts'

const FULL = 20_000
const QUICK = 1_000

/** Milliseconds between the requests of `readsUntil`. */
const EVERY_MS = 20

export interface Passed {
  readonly entities: number
  /** Entities a second that the worker compared: new ones, and all of them after a new list. */
  readonly queued_per_s: number
  readonly passed_per_s: number
  readonly found: number
  /** Latencies of reads of a balance: on an idle service, and while all entities are compared. */
  readonly idle_ms: readonly number[]
  readonly busy_ms: readonly number[]
}

export function measurePass(
  { quick, postgres }: Options,
  entries: readonly ListedEntry[],
  random: Random,
): Promise<Passed> {
  const count = quick ? QUICK : FULL
  return withTarget({ postgres }, target =>
    asOwner(target.database_url, async owner => {
      await importEntries(target, entries)
      await addEntities(owner, target.account_id, count, random)
      const worker = await target.startAnother({ CORRIDOR_SETTLE: 'on' })
      const queued_s = await seconds(() => untilNone(() => queued(owner)))
      say(`  ${count} new entities compared in ${whole(queued_s)} s`)
      const idle_ms = await readsUntil(worker, target, delay(3_000))
      await importEntries(target, entries)
      let busy_ms: readonly number[] = []
      const passed_s = await seconds(async () => {
        // The reads begin after the lists are indexed: another figure measures the indexing.
        await untilNone(() => unbegun(owner))
        const over = untilNone(() => unfinished(owner))
        busy_ms = await readsUntil(worker, target, over)
      })
      say(`  all compared with a new version in ${whole(passed_s)} s`)
      const [row] = await owner<{ found: number }[]>`
        select count(*)::integer as found from entities where screening <> ''`
      return {
        entities: count,
        queued_per_s: count / queued_s,
        passed_per_s: count / passed_s,
        found: row?.found ?? 0,
        idle_ms,
        busy_ms,
      }
    }),
  )
}

/** Adds entities as the service writes them. A trigger queues each for screening. */
async function addEntities(
  owner: Sql,
  account_id: string,
  count: number,
  random: Random,
): Promise<void> {
  const people = Array.from({ length: count }, () => ordinaryName(random))
  const names = people.map(({ name }) => name)
  const types = people.map(({ kind }) => (kind === 'person' ? 'individual' : 'business'))
  await owner.begin(async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await tx`
      insert into entities (made_by, account_id, id, type, on_behalf_of, reference_id, details,
        approval_status, approval_history, created_at, updated_at)
      select 'key_1', ${account_id}, 'ent_' || lpad(n::text, 20, '0'), type, '', '',
        json_build_object('name', name), 'pending', '[]', now(), now()
      from unnest(${names}::text[], ${types}::text[]) with ordinality as e(name, type, n)`
  })
}

const queued = (owner: Sql) => owner`select from screening_queue limit 1`

/** Has a row until a worker begins to compare with the present lists. */
const unbegun = (owner: Sql) => owner`
  select from screening_pass p, reference_version v where p.lists_version < v.lists_version`

/** Has a row until all parties are compared with the present lists. */
const unfinished = (owner: Sql) => owner`
  select from screening_pass p, reference_version v
  where p.lists_version < v.lists_version or not p.is_done`

async function untilNone(find: () => PromiseLike<readonly unknown[]>): Promise<void> {
  while ((await find()).length > 0) await delay(50)
}

/** Reads a balance again and again until `over` settles; returns each read's milliseconds. */
async function readsUntil(
  { address }: ServiceProcess,
  { authorization }: Target,
  over: Promise<unknown>,
): Promise<number[]> {
  const took: number[] = []
  let isOver = false
  const ended = over.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const from = performance.now()
    const answer = await fetch(`${address}/v3/balance`, { headers: { authorization } })
    await answer.text()
    if (!answer.ok) throw new Error(`a balance was answered ${answer.status}`)
    took.push(performance.now() - from)
    await delay(EVERY_MS)
  }
  await ended
  return took
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}
