// Lists and closes exceptions: a payout stands still until a person has judged what its rail said.
import { pathId } from '../http/docs.ts'
import { Closed, Id, optional, Text, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Act } from '../ledger/audit/act.ts'
import { recordActs } from '../ledger/audit/store.ts'
import { closeException as close } from '../payouts/advance/wake-store.ts'
import type { RailException } from '../rails/attempt.ts'
import { type ExceptionCursor, listOpenExceptions } from '../rails/exception-store.ts'
import { transactConfined } from '../sql/confine.ts'
import type { Sql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import { idPattern } from '../values/id.ts'
import { paging, writing } from './action.ts'
import { accountIdOf } from './operator-write.ts'
import { AccountId, LimitText } from './request.ts'

const After = Type.String({
  pattern: `${idPattern('pot').slice(0, -1)}:[1-9][0-9]{0,8}$`,
  description: '`payout:number`: the page starts with what follows it.',
  examples: ['pot_01m7xpm2m0c6hkd4r9ye:1'],
})

/** The exception after which the page starts, from `payout:number`; `:0` is before the first. */
function cursorOf(starting_after: string): ExceptionCursor {
  const [payout_id = '', number = '0'] = starting_after.split(':')
  return { payout_id, number: Number(number) }
}

export const ExceptionResponse = Type.Object(
  {
    account: AccountId,
    payout: Id('pot', 'Payout id.'),
    number: Type.Integer({ description: 'Counted from 1 within the payout.' }),
    attempt: Type.Integer(),
    rail: Type.String(),
    kind: Type.String(),
    message: Type.String(),
    opened_at: Timestamp,
  },
  {
    title: 'RailException',
    description:
      'What a person must look at. The payout does not move until then, except with these kinds: ' +
      'with `credit_unmarked` the bank’s reports count meanwhile; with `change_notified` and ' +
      '`return_answered` nothing waits, and the message has the day by which the bank expects an ' +
      'answer.',
  },
)

const CloseRequest = Closed(
  {
    number: Type.Integer({ minimum: 1, maximum: 999_999_999 }),
    note: Text(500, { minLength: 1, description: 'What you found and did; one line.' }),
  },
  { title: 'CloseException' },
)

const ClosedResponse = Type.Object(
  {
    payout: Id('pot', 'Payout id.'),
    exception: Type.Integer(),
    asked: Type.Boolean({ description: 'Whether Corridor asks the rail again.' }),
  },
  { title: 'ClosedException' },
)

/** `corridor rail exceptions` lists files and rails that wait for a person, too. */
export const listExceptions = paging({
  name: 'rail exceptions',
  path: '/v3/operator/exception',
  operationId: 'listExceptions',
  summary: 'List payouts that a person must look at, the oldest first.',
  query: Closed(
    optional({
      limit: LimitText,
      starting_after: After,
      payout: Id('pot', 'Only exceptions of this payout.'),
    }),
  ),
  response: ExceptionResponse,
  find: (audit, { starting_after = ':0', payout = null }, limit) =>
    listOpenExceptions(audit, cursorOf(starting_after), limit + 1, payout),
  present: presentException,
})

const CLOSE_HELP = `
Closing moves no money. Ask the bank or the provider first what it has done with
the attempt. If the rail cannot report the status, set the one that the bank or
the provider told you: corridor payout transition. CORRIDOR_USER must say who
you are.

Example:
  corridor rail close-exception pot_01m7xpm2m0c6hkd4r9ye 1 \\
    --note "The bank has booked the debit today, reference 2026112200417"`

export const closeException = writing({
  name: 'rail close-exception',
  path: '/v3/operator/payout/:id/close_exception',
  operationId: 'closeException',
  summary: 'Close an exception of a payout, and record what you found.',
  description:
    'Closing an exception moves no money. Ask the bank or the provider first what it has ' +
    'done with the attempt.',
  params: pathId('pot'),
  body: CloseRequest,
  actsAgain: true,
  asksPassword: true,
  byPerson: true,
  response: ClosedResponse,
  run: (acting, { id, ...closing }) =>
    acting.change(async sql => {
      const closed_by = acting.operator.name
      const asked = await closeOpen({ audit: acting.audit, sql }, id, { ...closing, closed_by })
      return { payout: id, exception: closing.number, asked }
    }),
  command: {
    words: ({ payout, asked }) =>
      asked
        ? `${payout}  closed; its rail is asked again`
        : `${payout}  closed; its rail is not asked: corridor payout show ${payout}`,
    subject: 'payout',
    listed: 'rail exceptions',
    arguments: ['number'],
    options: {
      id: 'payout id',
      number: 'the number of the exception, as rail exceptions shows it',
      note: 'what you found and did, up to 500 characters',
    },
    help: CLOSE_HELP,
  },
})

export function presentException(exception: RailException) {
  const { account_id: account, payout_id: payout, number, attempt, rail, kind } = exception
  const { message, opened_at } = exception
  return { account, payout, number, attempt, rail, kind, message, opened_at }
}

interface Closing {
  readonly number: number
  readonly closed_by: string
  readonly note: string
}

/** Returns whether the rail is asked again. Refuses (404) an exception that is not open. */
async function closeOpen(
  { audit, sql }: { readonly audit: Sql; readonly sql: Sql },
  payout_id: string,
  closing: Closing,
): Promise<boolean> {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  return transactConfined(sql, [account_id], async tx => {
    const asked = await close(tx, { account_id, id: payout_id }, closing)
    if (asked === undefined) {
      const message = `payout ${payout_id} has no open exception ${closing.number}`
      throw refusal('not_found', message)
    }
    await recordActs(tx, [closingAct(account_id, payout_id, closing)])
    return asked
  })
}

function closingAct(account_id: string, id: string, { number, note }: Closing): Act {
  const exception = String(number)
  return {
    table_name: 'rail_exceptions',
    reason: note,
    before: { account_id, id, exception, state: 'open' },
    after: { account_id, id, exception, state: 'closed' },
  }
}
