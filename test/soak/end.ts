// The end of a soak: waits until nothing is under way, and compares what clients were told with the
// database, the rail's own book and what the receiver has had.
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { runCommand } from '../support/service/process.ts'
import { amountOf, payNumber, type SoakLoad } from './load.ts'
import type { Scene } from './scene.ts'

/** Only what hangs takes as long. */
const HANGS_MS = 600_000
/** How many keys are repeated at the end. */
const REPEATED = 500

async function asOwner<T>(scene: Scene, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(scene.url, { max: 1, as: 'owner' })
  return work(sql).finally(() => sql.end({ timeout: 5 }))
}

/** Pauses after failures grow: what waits for one, and is claimed by nobody, is due now. */
async function hurry(sql: Sql): Promise<void> {
  await sql`
    update open_payouts set ask_rail_at = statement_timestamp()
    where status <> 'succeeded' and claimed_until is null
      and ask_rail_at > statement_timestamp() + interval '5 seconds'`
  await sql`
    update webhook_deliveries set due_at = statement_timestamp()
    where status = 'pending' and due_at > statement_timestamp() + interval '15 seconds'`
}

/** Waits until so many payouts have succeeded and all events are delivered. */
export function untilAllIsOver(scene: Scene, payouts: number): Promise<void> {
  return asOwner(scene, async sql => {
    const deadline = performance.now() + HANGS_MS
    for (;;) {
      const [row] = await sql<{ paid: number; untold: number }[]>`
        select (select count(*)::integer from payout_states where status = 'succeeded') as paid,
          (select count(*)::integer from webhook_deliveries where status = 'pending')
            + (select count(*)::integer from webhook_endpoints e join books b using (account_id)
              where e.fanned_out < b.event_count) as untold`
      if ((row?.paid ?? 0) >= payouts && row?.untold === 0) return
      if (performance.now() > deadline) {
        throw new Error(`not over: ${JSON.stringify(row)} of ${payouts} payouts`)
      }
      await delay(250)
      await hurry(sql)
    }
  })
}

interface End {
  readonly lines: readonly string[]
  readonly faults: readonly string[]
}

export async function judgeEnd(scene: Scene, load: SoakLoad): Promise<End> {
  const faults: string[] = []
  const expect = (what: string, found: number, wanted: number) => {
    if (found !== wanted) faults.push(`${what}: ${found} instead of ${wanted}`)
  }
  const keys = load.sent()
  const acknowledged = load.ids.filter(id => id !== undefined)
  const rows = await asOwner(
    scene,
    sql => sql<{ id: string; amount: string; status: string }[]>`
      select p.id, p.amount::text, s.status from payouts p
      join payout_states s on s.account_id = p.account_id and s.id = p.id`,
  )
  const stored = new Map(rows.map(row => [row.id, row]))
  const lost = load.ids.filter(
    (id, n) => id !== undefined && stored.get(id)?.amount !== String(amountOf(n)),
  )
  expect('acknowledged payouts lost', lost.length, 0)
  expect('keys acknowledged', acknowledged.length, keys)
  expect('payouts for one key each', rows.length, keys)
  expect('ids', new Set(acknowledged).size, keys)
  expect('payouts that succeeded', rows.filter(row => row.status === 'succeeded').length, keys)
  expect('repeated keys with another answer', await repeatSome(scene, load), 0)
  const paid = (await scene.railBook()).filter(({ step }) => step?.status === 'paid')
  expect('payments of the rail', paid.length, keys)
  expect('payouts that the rail has paid', new Set(paid.map(({ id }) => id)).size, keys)
  const told = await judgeTold(scene)
  expect('events that the receiver has not had', told.missing, 0)
  const verified = await runCommand(['verify', '--all'], { DATABASE_URL: scene.url })
  if (verified.code !== 0) faults.push(`corridor verify: ${verified.output}`)
  return {
    faults,
    lines: [
      `${keys} keys, ${acknowledged.length} acknowledged, ${lost.length} lost, ` +
        `${rows.length - keys} too many; the rail has paid ${paid.length}`,
      `${told.events} events, ${told.missing} not delivered, ${told.again} delivered again`,
      `corridor verify --all: exit ${verified.code}, ${verified.output.trim().split('\n').at(-1)}`,
    ],
  }
}

/** Repeats some keys; returns how many got another payout. */
async function repeatSome({ client, address }: Scene, { ids }: SoakLoad): Promise<number> {
  const step = Math.max(1, Math.floor(ids.length / REPEATED))
  let other = 0
  for (let number = 0; number < ids.length; number += step) {
    const { status, json } = await payNumber(client, address, number)
    if (status !== 200 || json.data.id !== ids[number]) other += 1
  }
  return other
}

async function judgeTold(scene: Scene) {
  const had = await scene.received()
  const once = new Set(had)
  const events = await asOwner(
    scene,
    sql => sql<{ id: string }[]>`
      select event_id as id from webhook_deliveries where event_id <> ''`,
  )
  const missing = events.filter(({ id }) => !once.has(id)).length
  return { events: events.length, missing, again: had.length - once.size }
}
