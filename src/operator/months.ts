// Closes months of the house's books, and shows what a month still needs.
import { Closed, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { databaseNow, type Sql, type TransactionSql } from '../sql/connect.ts'
import { listPositions, trialBalance } from '../treasury/balance-store.ts'
import {
  type Close,
  digestCuts,
  insertClose,
  listBlockers,
  listCloses,
} from '../treasury/close-store.ts'
import { takeHouseTurn } from '../treasury/house.ts'
import { refusal } from '../values/errors.ts'
import { instantFromIso } from '../values/instant.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { checkMonth, Formed, MONTH } from './request.ts'

const MonthPath = Type.Object({
  month: Formed(MONTH, 'The month, such as 2026-11.', ['2026-11']),
})

/** What stands against closing a month, and what to type next. */
const BLOCKERS = {
  behind: 'its journals are not in the house’s books yet: wait, or see corridor doctor',
  statement_missing: 'no statement covers its last day: corridor nostro import FILE',
  not_proved: 'a statement does not follow the one before: corridor nostro statements',
  line_without_note: 'an open line without a note: corridor nostro note',
  item_without_note: 'an open item without a note: corridor nostro note',
} as const
type Blocker = keyof typeof BLOCKERS

export const CloseResponse = Type.Object(
  {
    month: Type.String(),
    at: Timestamp,
    by: Type.String(),
    cuts: Type.String({ description: 'SHA-256 of how far the books of all accounts went.' }),
    sha256: Type.String({ description: 'SHA-256 of the month with its trial balance.' }),
  },
  { title: 'ClosedMonth' },
)

export const BlockerResponse = Type.Object(
  {
    what: Literals(Object.keys(BLOCKERS) as Blocker[]),
    name: Type.String(),
    nostro: Type.String({ description: 'Its account at a bank; empty for none.' }),
    next: Type.String(),
  },
  { title: 'MonthBlocker' },
)

const list = reading({
  name: 'month list',
  path: '/v3/operator/month',
  operationId: 'listMonths',
  summary: 'List the closed months, the newest first.',
  response: CloseResponse,
  list: true,
  find: async audit => listCloses(audit),
  command: {
    words: months => months.map(({ month, at, by, sha256 }) => ({ month, closed: at, by, sha256 })),
    none: 'no month is closed: corridor month close closes one',
    help: '\nExample:\n  corridor month list',
  },
})

const check = reading({
  name: 'month check',
  path: '/v3/operator/month/:month',
  operationId: 'checkMonth',
  summary: 'Show what a month needs before it closes.',
  params: MonthPath,
  response: BlockerResponse,
  list: true,
  find: async (audit, { month }) => {
    checkMonth(month, 'invalid_path_parameter')
    return blockersOf(audit, month)
  },
  command: {
    words: blockers => blockers.map(({ name, next }) => ({ name, 'what to do': next })),
    none: 'nothing: the month can close',
    options: { month: 'the month, such as 2026-11' },
    help: '\nExample:\n  corridor month check 2026-11',
  },
})

const close = writing({
  name: 'month close',
  path: '/v3/operator/month/:month/close',
  operationId: 'closeMonth',
  summary: 'Close a month: its trial balance is kept, and no journal of the house enters it.',
  description:
    'Refused while books are behind, a statement is missing or not proved, or an open line or ' +
    'item has no note. A month never opens again: a correction goes into the open month.',
  params: MonthPath,
  body: Closed({}, { title: 'CloseMonth' }),
  response: CloseResponse,
  refusals: ['invalid_transition'],
  byPerson: true,
  asksPassword: true,
  run: (acting, { month }) =>
    acting.change((sql: Sql) =>
      sql.begin(tx => closeMonth(acting.audit, tx, month, acting.operator.name)),
    ),
  command: {
    words: ({ month, by, sha256 }) => `${month} is closed by ${by}: ${sha256}`,
    options: { month: 'the month, such as 2026-11' },
    help: '\nExample:\n  corridor month close 2026-11',
  },
})

export const months: ActionGroup = { actions: [list, check, close] }

async function blockersOf(audit: Sql, month: string) {
  const rows = await listBlockers(audit, month)
  return rows.map(({ what, name, nostro }) => ({
    what: what as Blocker,
    ...{ name, nostro },
    next: BLOCKERS[what as Blocker],
  }))
}

/** The first instant after the month. */
function endOf(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return instantFromIso(new Date(Date.UTC(year, number)).toISOString()) ?? ''
}

async function closeMonth(
  audit: Sql,
  tx: TransactionSql,
  month: string,
  by: string,
): Promise<Close> {
  checkMonth(month, 'invalid_path_parameter')
  const end = endOf(month)
  // No journal of the house slips in between what is read here and the closed month.
  await takeHouseTurn(tx)
  if ((await databaseNow(audit)) < end) {
    throw refusal('invalid_transition', `${month} is not over.`)
  }
  const [newest] = await listCloses(audit)
  if (newest !== undefined && month <= newest.month) {
    throw refusal('invalid_transition', `Months close in order, and ${newest.month} is closed.`)
  }
  const [blocker, ...more] = await blockersOf(audit, month)
  if (blocker !== undefined) {
    // A page shows it too: what to type is said by the check of the month.
    const [why = ''] = blocker.next.split(': ')
    const others = more.length === 0 ? '' : `, and ${more.length} more`
    const message = `${blocker.name}: ${why}${others}. Check the month for what to do.`
    throw refusal('invalid_transition', message)
  }
  const texts = <Row extends object>(rows: readonly Row[]) =>
    rows.map(row =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'bigint' ? String(value) : value,
        ]),
      ),
    )
  return insertClose(tx, {
    ...{ month, by, cuts: await digestCuts(audit) },
    trial_balance: texts(await trialBalance(audit, end, 'value_date')),
    positions: texts(await listPositions(audit)),
  })
}
