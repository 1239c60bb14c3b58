// Shows the database's clock, and confirms it: writes go on after it has jumped.
import { Closed, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { Clock, hostNow } from '../ledger/clock.ts'
import { confirmClock, listCorrections } from '../ledger/clock-store.ts'
import { databaseNow, type Sql } from '../sql/connect.ts'
import { type ActionGroup, reading, writing } from './action.ts'

const Jump = Type.Unsafe<{ expected: string; found: string } | null>({
  type: ['object', 'null'],
  properties: { expected: { type: 'string' }, found: { type: 'string' } },
  required: ['expected', 'found'],
  additionalProperties: false,
  description: 'The time that was expected and the time that was found; null: the clock is right.',
})

const CorrectionResponse = Closed(
  { set_from: Timestamp, set_to: Timestamp },
  {
    title: 'ClockCorrection',
    description: 'From which time the clock was set back, and to which.',
  },
)

/** The most corrections that the answer has. */
const MAX_CORRECTIONS = 100

export const ClockResponse = Closed(
  {
    now: Type.String({ description: 'What the clock of the database shows.' }),
    writes: Type.Boolean({ description: 'Whether books are written.' }),
    jump: Jump,
    corrections: Type.Array(CorrectionResponse, {
      description: `What operators have confirmed, newest first; ${MAX_CORRECTIONS} at most.`,
    }),
  },
  { title: 'DatabaseClock' },
)

const show = reading({
  name: 'clock show',
  path: '/v3/operator/clock',
  operationId: 'getClock',
  summary: 'Show whether the clock of the database has jumped.',
  description: 'A jump by more than ten minutes stops all writes to books with `clock_jumped`.',
  response: ClockResponse,
  find: showClock,
  command: {
    words: ({ jump }) =>
      jump === null
        ? 'the clock is right'
        : `the clock shows ${jump.found} instead of about ${jump.expected}: writes stand still`,
    help: '\nExample:\n  corridor clock show',
  },
})

const confirm = writing({
  name: 'clock confirm',
  path: '/v3/operator/clock/confirm',
  operationId: 'confirmClock',
  summary: 'Confirm that the clock of the database is right now, so that writes go on.',
  description:
    'Times of books that are ahead are set to the present, and what is due much later is due ' +
    'now. Each process goes on within five seconds.',
  emptyBody: 'ConfirmClockRequest',
  asksPassword: true,
  byPerson: true,
  response: CorrectionResponse,
  run: acting => acting.change(sql => confirmClock(sql, hostNow())),
  command: {
    words({ set_from, set_to }) {
      const ahead =
        set_from === set_to
          ? 'no time was ahead of it'
          : `times as late as ${set_from} were ahead of it`
      return `the clock is confirmed: ${set_to}; ${ahead}`
    },
    help: '\nExample:\n  corridor clock confirm',
  },
})

export const clockActions: ActionGroup = { actions: [show, confirm] }

/** Looks again: what this process has measured may be five seconds old. */
async function showClock(audit: Sql) {
  const jump = await new Clock().look(audit, { keeps: false })
  const [now, all] = await Promise.all([databaseNow(audit), listCorrections(audit)])
  const corrections = all.slice(-MAX_CORRECTIONS).reverse()
  return { now, writes: jump === null, jump, corrections }
}
