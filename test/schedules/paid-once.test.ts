// Schedules of faults: payouts of live accounts on two and three rails while everything goes wrong that
// can: answers lost and late, workers killed and slower than their claims, rails paused, keys and
// calendars that end, accounts that cancel, people who decide. The providers' own ledgers say what was
// paid. No payout is paid twice, none is refunded and paid, none is lost, and none waits unseen.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { insertRail } from '../../src/rails/row-store.ts'
import { verify } from '../../src/verify/run.ts'
import { problemsBesidesActs } from '../support/assert/books.ts'
import { pickSeed } from '../support/service/process.ts'
import {
  type AnotherProcess,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { share } from '../support/share.ts'
import { Batch } from './batch.ts'
import { PROVIDERS, ROUTES, START } from './schedule.ts'

/** `SCHEDULES=50` for a short look. */
const SCHEDULES = Number(process.env.SCHEDULES ?? share(75, 5_000))
/** Those that run side by side. */
const AT_ONCE = 150
const STEPS = 12

/** In so many schedules each of HAPPENS comes dozens of times: none of them is missing by chance. */
const ENOUGH = 2_000

/** What must have happened at least once in ENOUGH schedules. */
const HAPPENS = [
  'cancelled',
  'answered',
  'exception closed',
  'exception: taken_after_all',
  'exception: paid_after_end',
  'exception: needs_person',
  'end: succeeded, attempt 1',
  'end: succeeded, attempt 2',
  'end: reversed, attempt 1',
  'end: failed, attempt 1',
  'end: failed',
  'end with a liar: succeeded',
  'inquire: not found',
  'submit: late',
  'submit: lost after',
  'workers: killed once it has asked',
  'workers: slower than its claim',
]

let service: TestService
let other: AnotherProcess
before(async () => {
  const log = pino({ level: 'silent' })
  service = await startTestService({ rail_timeout_ms: 50 }, log)
  await service.setFees([{}])
  for (const name of PROVIDERS) {
    const rail = { name, kind: 'connector', config: {}, secret: '', paused_reason: '' } as const
    await insertRail(service.deps.sql, rail)
  }
  await service.setRoutes(ROUTES)
  // The accounts of this test have clocks of their own, as live ones have not.
  await service.database.owner`alter table books drop constraint clock_of_a_sandbox`
  other = await service.anotherProcess()
})
after(async () => {
  await other?.close()
  await service.close()
})

test('settling under random faults: each payout paid once or credited back, never both, lost or unseen', async t => {
  const seed = pickSeed()
  t.diagnostic(`${SCHEDULES} schedules, SEED=${seed}`)
  const tally = new Map<string, number>()
  for (let done = 0; done < SCHEDULES; done += AT_ONCE) {
    const batch = new Batch({ service, other: other.deps }, seed + done, tally)
    await batch.run(Math.min(AT_ONCE, SCHEDULES - done), STEPS)
  }
  for (const [what, times] of [...tally].sort()) t.diagnostic(`${what}: ${times}`)
  const never = SCHEDULES < ENOUGH ? [] : HAPPENS.filter(what => !tally.has(what))
  assert.deepEqual(never, [], 'it did not happen once, so that nothing is known of it')
  await checkMoney()
})

/** What accounts have is what they began with, less what was paid and has stayed so. */
async function checkMoney(): Promise<void> {
  const { owner } = service.database
  const wrong = await owner`
    select b.account_id, b.available from balances b
    join accounts a on a.account_id = b.account_id and not a.sandbox
    where b.available <> ${START} - coalesce((
      select sum(p.holding_amount) from payouts p join payout_states s
        on s.account_id = p.account_id and s.id = p.id
      where p.account_id = b.account_id and s.status not in ('failed', 'reversed')), 0)`
  assert.deepEqual([...wrong], [])
  await owner`alter table books disable trigger clock_goes_forward`
  await owner`update books set clock_ahead = '0'`
  const verdict = await verify(owner, { account_id: null, all: true })
  assert.deepEqual(problemsBesidesActs(verdict).slice(0, 5), [])
}
