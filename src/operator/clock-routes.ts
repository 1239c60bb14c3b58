// GET /v3/operator/clock and POST /v3/operator/clock/confirm: the database's clock, and writes
// after it has jumped.
import { databaseNow, type Sql } from '../db/connect.ts'
import { Closed, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { Clock, hostNow } from '../ledger/clock.ts'
import { confirmClock } from '../ledger/clock-store.ts'
import type { DeskRoutes } from './desk-routes.ts'

const Jump = Type.Unsafe<{ expected: string; found: string } | null>({
  type: ['object', 'null'],
  properties: { expected: { type: 'string' }, found: { type: 'string' } },
  required: ['expected', 'found'],
  additionalProperties: false,
  description: 'The time that was expected and the time that was found; null: the clock is right.',
})

const ClockResponse = Closed(
  {
    now: Type.String({ description: 'What the clock of the database shows.' }),
    writes: Type.Boolean({ description: 'Whether books are written.' }),
    jump: Jump,
  },
  { title: 'DatabaseClock' },
)

const CorrectionResponse = Closed(
  { set_from: Timestamp, set_to: Timestamp },
  {
    title: 'ClockCorrection',
    description: 'From which time the clock was set back, and to which.',
  },
)

export function clockRoutes(routes: DeskRoutes): void {
  routes.read('/v3/operator/clock', {
    operationId: 'getClock',
    summary: 'Show whether the clock of the database has jumped.',
    description: 'A jump by more than ten minutes stops all writes to books with `clock_jumped`.',
    response: ClockResponse,
    answer: (_, { audit }) => showClock(audit),
  })
  routes.change('/v3/operator/clock/confirm', {
    act: 'clock confirm',
    config: { asksPassword: true },
    operationId: 'confirmClock',
    summary: 'Confirm that the clock of the database is right now, so that writes go on.',
    description:
      'Times of books that are ahead are set to the present, and what is due much later is due ' +
      'now. Each process goes on within five seconds.',
    emptyBody: 'ConfirmClockRequest',
    response: CorrectionResponse,
    change: sql => confirmClock(sql, hostNow()),
  })
}

/** By a look of its own: what this process has measured may be five seconds old. */
async function showClock(audit: Sql) {
  const jump = await new Clock().look(audit, { keeps: false })
  return { now: await databaseNow(audit), writes: jump === null, jump }
}
