// Adds, changes and closes the house's accounts at banks, by the requests of people.
import type { Static } from 'typebox'
import { Closed, CurrencyCode, Literals, MINOR_OF, optional, REASON, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { listRails } from '../rails/row-store.ts'
import { readManyRows, type Sql, type TransactionSql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import { listPositions } from '../treasury/balance-store.ts'
import { assignSome } from '../treasury/derive.ts'
import { NOSTRO_KINDS, type Nostro, POOLS, PURPOSES } from '../treasury/nostro.ts'
import {
  actForTheHouse,
  closeNostro,
  insertNostro,
  listNostros,
  lockNostros,
  updateNostro,
} from '../treasury/nostro-store.ts'
import { CALENDAR_NAMES } from '../values/calendar/calendar.ts'
import { isDay } from '../values/calendar/day.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { currencyProblems } from '../values/money/problem.ts'
import { moneyWords } from '../values/money/words.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { known, knownAmong } from './operator-write.ts'
import { MAX_MINOR } from './request.ts'

export const NostroPath = Type.Object({
  name: Type.String({
    pattern: '^[a-z][a-z0-9_]{1,39}$',
    description: 'What people call the account.',
    examples: ['eur_main'],
  }),
})

export const Day = Type.String({ format: 'date', maxLength: 10, description: 'A day of UTC.' })

const Signed = (description: string) =>
  Type.Integer({
    ...{ minimum: -MAX_MINOR, maximum: MAX_MINOR, description },
    ...{ [REASON]: 'amount_out_of_range', [MINOR_OF]: 'currency' },
  })

/** The settings that may change. */
const SETTINGS = {
  institution: Text(200, { description: 'The bank or provider.' }),
  account: Text(64, {
    description: 'The IBAN or number by which its statements name it. Spaces do not count.',
  }),
  bic: Type.String({ pattern: '^([A-Z0-9]{8}([A-Z0-9]{3})?)?$', description: 'The bank’s BIC.' }),
  pool: Literals(POOLS, { description: 'The pool of safeguarded money that it belongs to.' }),
  rails: Type.Array(Text(40, { minLength: 1 }), {
    maxItems: 50,
    description: 'The rails whose payouts leave from it.',
  }),
  low: Signed('A forecast below it is a warning.'),
  critical: Signed('A forecast below it wakes somebody.'),
  two_people_from: Type.Integer({
    ...{ minimum: 1, maximum: MAX_MINOR, [REASON]: 'amount_out_of_range', [MINOR_OF]: 'currency' },
    description: 'From this amount on, two people decide whose a credit in suspense is.',
  }),
  match_by_account: Type.Boolean({
    description:
      'Whether a line and an item match by themselves when amount, account of the payee and date ' +
      'agree, and those of nothing else.',
  }),
  gate: Type.Boolean({
    description:
      'Whether payouts that its books do not cover wait, the longest due first, instead of going ' +
      'to their rail.',
  }),
  expected_days: Type.Integer({
    ...{ minimum: 0, maximum: 30 },
    description: 'After so many banking days an open item is missing at the bank.',
  }),
  calendar: Literals(CALENDAR_NAMES, { description: 'The calendar of its banking days.' }),
  statement_due_by: Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    description: 'By when, in UTC on the next banking day, a day’s statement is here.',
  }),
}

export const AddNostro = Closed(
  {
    ...{ name: NostroPath.properties.name, currency: CurrencyCode },
    opening_balance: Signed('Minor units at the start of `opening_on`, at the bank and here.'),
    ...optional({
      opening_on: Day,
      kind: Literals(NOSTRO_KINDS, { default: 'bank', description: 'Who keeps the account.' }),
      purpose: Literals(PURPOSES, {
        default: 'client',
        description: 'Whose money it holds: that of clients, or the house’s own.',
      }),
      ...SETTINGS,
    }),
  },
  {
    title: 'AddNostro',
    description: 'An account of the installation at a bank, a provider or a chain.',
  },
)

export const SetNostro = Closed(
  optional({
    ...SETTINGS,
    no_low: Type.Boolean({ description: 'Warn of no forecast.' }),
    no_critical: Type.Boolean({ description: 'Wake nobody by a forecast.' }),
    no_two_people: Type.Boolean({ description: 'Let one person decide about any amount again.' }),
    no_match_by_account: Type.Boolean({ description: 'Leave such pairs to people again.' }),
    no_gate: Type.Boolean({ description: 'Hand over every payout again, covered or not.' }),
    no_expected_days: Type.Boolean({
      description: 'Let an item be missing after three days again.',
    }),
    no_calendar: Type.Boolean({ description: 'Let every weekday be a banking day again.' }),
    no_statement_due_by: Type.Boolean({ description: 'Expect no statement at any time.' }),
    currency: Text(10, { description: 'The currency of the amounts: its own.' }),
  }),
  {
    title: 'SetNostro',
    description: 'Members that are left out stay as they are.',
  },
)

/** Refuses (404) an unknown name. */
export async function nostroNamed(sql: Tag, name: string): Promise<Nostro> {
  return knownAmong('nostro', name, await listNostros(sql), nostro => nostro.name)
}

type Settings = Static<typeof SetNostro>

export async function addNostro(sql: Sql, asked: Static<typeof AddNostro>): Promise<Nostro> {
  const { name, currency, kind = 'bank', purpose = 'client', opening_balance, ...given } = asked
  const today = new Date().toISOString().slice(0, 10)
  const { opening_on = today, ...settings } = given
  const nostros = await listNostros(sql)
  const problems = [
    ...(nostros.some(one => one.name === name)
      ? [invalidField('name', `there is a nostro ${name} already`)]
      : []),
    ...(isDay(opening_on) && opening_on <= today
      ? []
      : [invalidField('opening_on', 'opening_on is a day, at the latest today')]),
    ...currencyProblems('currency', currency),
  ]
  refuseIfAny(problems)
  const nostro = withSettings(
    {
      ...{ name, kind, currency, purpose, opening_on, opening_balance: BigInt(opening_balance) },
      ...{ institution: '', account: '', bic: '', pool: 'none', rails: [], closed_at: null },
      settings: {},
    },
    settings,
  )
  await checkNostro(sql, nostro, nostros)
  await sql.begin(tx => {
    void readManyRows(tx)
    return insertNostro(tx, nostro)
  })
  return nostro
}

/** What a change of a nostro is decided on, under the lock of its row. */
interface Stored {
  readonly nostro: Nostro
  readonly others: readonly Nostro[]
  readonly tx: TransactionSql
}

/**
 * Changes a nostro from what is stored under the lock of its row: so no change undoes another one
 * that came between. Where a gate begins, PostgreSQL reads every payout under way. Refuses an
 * unknown name (404) and a nostro that is closed (409).
 */
export function changeNostro(
  sql: Sql,
  name: string,
  change: (stored: Stored) => Nostro | Promise<Nostro>,
): Promise<Nostro> {
  return sql.begin(async tx => {
    void readManyRows(tx)
    await lockNostros(tx, [name])
    const nostros = await listNostros(tx)
    const nostro = knownAmong('nostro', name, nostros, one => one.name)
    if (nostro.closed_at !== null) throw refusal('invalid_transition', `${name} is closed.`)
    const others = nostros.filter(one => one.name !== name)
    const changed = await change({ nostro, others, tx })
    await updateNostro(tx, changed)
    // What its rails have paid without a nostro is in its books before its gate opens.
    if (changed.settings.gate === true) await assignSome(tx)
    return changed
  })
}

/** The settings that may be taken away, each by its own member. */
const ENDS = {
  no_low: 'low',
  no_critical: 'critical',
  no_two_people: 'two_people_from',
  no_match_by_account: 'match_by_account',
  no_gate: 'gate',
  no_expected_days: 'expected_days',
  no_calendar: 'calendar',
  no_statement_due_by: 'statement_due_by',
} as const
type End = keyof typeof ENDS
const EACH_END = Object.keys(ENDS) as End[]

export function setNostro(sql: Sql, name: string, asked: Settings): Promise<Nostro> {
  return changeNostro(sql, name, async ({ nostro: before, others, tx }) => {
    const { currency = before.currency, ...settings } = asked
    const ends = EACH_END.filter(end => asked[end] === true)
    refuseIfAny([
      ...(currency === before.currency
        ? []
        : [invalidField('currency', `${name} is in ${before.currency}, not in ${currency}`)]),
      ...ends
        .filter(end => (settings[ENDS[end]] ?? false) !== false)
        .map(end => invalidField(end, `${ENDS[end]} says the opposite`)),
    ])
    const nostro = withSettings(without(before, ends), settings)
    await checkNostro(tx, nostro, others)
    return nostro
  })
}

function without({ settings, ...nostro }: Nostro, ends: readonly End[]): Nostro {
  const ended = new Set<string>(ends.map(end => ENDS[end]))
  const kept = (of: object, nameOf = (name: string) => name) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !ended.has(nameOf(name))))
  const { statement = {}, ...others } = settings
  const named = (name: string) => (name === 'due_by' ? 'statement_due_by' : name)
  return { ...nostro, settings: { ...kept(others), statement: kept(statement, named) } }
}

type Given = Omit<Settings, 'currency' | End>

function withSettings(nostro: Nostro, asked: Given): Nostro {
  const {
    low,
    critical,
    expected_days,
    gate,
    match_by_account,
    two_people_from,
    calendar,
    statement_due_by: due_by,
    account,
    ...members
  } = asked
  const statement = { ...nostro.settings.statement, ...omitUndefined({ due_by, calendar }) }
  return {
    ...nostro,
    ...omitUndefined(members),
    ...(account !== undefined && { account: foldedAccount(account) }),
    settings: {
      ...nostro.settings,
      ...omitUndefined({ expected_days, gate, match_by_account }),
      ...(low !== undefined && { low: String(low) }),
      ...(critical !== undefined && { critical: String(critical) }),
      ...(two_people_from !== undefined && { two_people_from: String(two_people_from) }),
      statement,
    },
  }
}

/** As statements are compared: capital letters and digits. */
function foldedAccount(account: string): string {
  return account.replaceAll(/\s/g, '').toUpperCase()
}

/**
 * Refuses rails that do not exist, a rail that is there twice, and an account that another open
 * nostro has.
 */
async function checkNostro(sql: Tag, nostro: Nostro, others: readonly Nostro[]): Promise<void> {
  const { account, currency, rails, purpose, pool } = nostro
  const open = others.filter(one => one.closed_at === null && one.currency === currency)
  const shared = open.flatMap(one => sharedAtGate(nostro, one))
  const names = (await listRails(sql)).map(rail => rail.name)
  const unknown = rails.filter(rail => !names.includes(rail))
  const twice = rails.find((rail, place) => rails.indexOf(rail) < place)
  const twin = open.find(one => one.account === account)
  refuseIfAny([
    ...(unknown.length > 0
      ? [invalidField('rails', `there is no rail ${unknown.join(', ')}`)]
      : []),
    ...(twice === undefined ? [] : [invalidField('rails', `rails has ${twice} twice`)]),
    ...(account !== '' && twin !== undefined
      ? [invalidField('account', `nostro ${twin.name} has this account in ${currency}`)]
      : []),
    ...shared.map(message => invalidField('rails', message)),
    ...(purpose === 'own' && pool !== 'none'
      ? [invalidField('pool', 'a pool safeguards the money of clients, not the house’s own')]
      : []),
  ])
}

/** Of a rail in common it is not known which payouts leave which nostro. */
function sharedAtGate(nostro: Nostro, other: Nostro): string[] {
  const rail = nostro.rails.find(one => other.rails.includes(one))
  const gated = [nostro, other].find(({ settings }) => settings.gate === true)
  if (rail === undefined || gated === undefined) return []
  return [`rail ${rail} is that of ${other.name} too, and ${gated.name} has a gate`]
}

export function closeEmpty(sql: Sql, name: string): Promise<Nostro> {
  return sql.begin(tx => closeLocked(tx, name))
}

async function closeLocked(tx: TransactionSql, name: string): Promise<Nostro> {
  await actForTheHouse(tx)
  await lockNostros(tx, [name])
  const nostro = await nostroNamed(tx, name)
  if (nostro.closed_at !== null) throw refusal('invalid_transition', `${name} is closed already.`)
  const position = (await listPositions(tx)).find(one => one.nostro === name)
  const { bank, book, open_lines_count, open_items_count } = known('nostro', name, position)
  if (bank !== 0n || book !== 0n || open_lines_count + open_items_count > 0n) {
    const { currency } = nostro
    const message =
      `${name} is not empty: the bank has ${moneyWords(bank, currency)}, the books have ` +
      `${moneyWords(book, currency)}, and ${open_lines_count + open_items_count} are open.`
    throw refusal('invalid_transition', message)
  }
  await closeNostro(tx, name)
  return nostroNamed(tx, name)
}
