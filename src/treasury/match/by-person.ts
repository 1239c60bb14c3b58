// What a person does: matches lines with items, books what is left over, and undoes a match. Each
// is one transaction, with the journal of the house that belongs to it.
import type { TransactionSql } from '../../sql/connect.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { invalidField, Refusal, refusal, refuseIfAny } from '../../values/errors.ts'
import { moneyWords } from '../../values/money/words.ts'
import {
  AGAINST,
  bookHouse,
  type HouseKind,
  movedOn,
  reverseHouse,
  takeHouseTurn,
} from '../house.ts'
import type { Nostro } from '../nostro.ts'
import { actForTheHouse, listNostros } from '../nostro-store.ts'
import { caseId } from './case-id.ts'
import type { NewMatch, StoredMatch } from './match.ts'
import {
  findHouseItems,
  findNostroOf,
  findReturn,
  findReversal,
  listStandingFundings,
  lockMatch,
  lockMembers,
  type Member,
  undo,
  waitForMatchers,
  writeMatches,
} from './match-store.ts'
import { listCreditedBeside } from './return-store.ts'
import { checkMatch } from './second-person.ts'
import { movedBetween } from './transfer.ts'
import { checkUnbooked } from './unbooked.ts'

/** What a rest may be booked as. A transfer is from or to another nostro. */
export const REST_KINDS = ['cost', 'interest', 'own_funds', 'write_off', 'transfer'] as const
export type RestKind = (typeof REST_KINDS)[number] & HouseKind

export interface AskedMatch {
  readonly lines: readonly bigint[]
  readonly items: readonly bigint[]
  /** What the lines have more or less than the items; undefined when the sums are equal. */
  readonly rest_as: RestKind | undefined
  /** The other nostro of a transfer. */
  readonly to?: string | undefined
  readonly note: string
  readonly by: string
  /** Whether `by` is a log-in, which several people may share. */
  readonly is_login?: boolean
}

export interface MadeMatch {
  readonly id: bigint
  readonly nostro: string
  readonly currency: string
  /** The sum of the lines. */
  readonly sum: bigint
  /** What the journal of the house has; 0 without one. */
  readonly rest: bigint
}

/**
 * Refuses members that are unknown (404), that do not fit (400), that are matched already, or whose
 * money an account has without its item here (409); with a rest, also by one of its other ids.
 */
export async function matchByPerson(tx: TransactionSql, asked: AskedMatch): Promise<MadeMatch> {
  const { rest_as, to, note, by } = asked
  await actForTheHouse(tx)
  await takeTurns(tx, asked, rest_as !== undefined)
  const lines = await openMembers(tx, 'line', asked.lines)
  const items = await openMembers(tx, 'item', asked.items)
  const nostro = await nostroOf(tx, [...lines, ...items])
  const [sum, booked] = [sumOf(lines), sumOf(items)]
  const rest = sum - booked
  checkRest({ rest, sum, booked, currency: nostro.currency }, rest_as)
  const [credited] = await listCreditedBeside(tx, [asked])
  if (credited !== undefined) {
    const message = `${caseId('line', credited)} is credited to an account: match that item.`
    throw refusal('invalid_transition', message, 'lines')
  }
  if (rest_as !== undefined) {
    // A debit may have the key of a payment that it is the fee of.
    const credits = lines.filter(({ amount }) => amount > 0n)
    for (const { id } of credits) await checkUnbooked(tx, id, asked.items)
  }
  const person = { name: by, is_login: asked.is_login === true }
  await checkMatch(tx, { nostro, lines, items: asked.items, rest, rest_as }, person)
  const of = { nostro: nostro.name, rule: 'person', by, note } as const
  const match = { ...of, lines: asked.lines, items: asked.items, sum, house_number: null }
  const value_on = lines[0]?.value_on ?? today()
  const whole: NewMatch =
    rest === 0n || rest_as === undefined
      ? match
      : await withRest(tx, nostro, match, { rest, value_on, rest_as, to })
  const [id] = await writeMatches(tx, [whole])
  if (id === undefined) throw new Error('a match without an id')
  return { id, nostro: nostro.name, currency: nostro.currency, sum, rest }
}

/** Takes the turns that an act of a person needs, before it locks anything else. */
async function takeTurns(
  tx: TransactionSql,
  of: Parameters<typeof findNostroOf>[1],
  books: boolean,
): Promise<void> {
  const nostro = await findNostroOf(tx, of)
  if (nostro !== undefined) await waitForMatchers(tx, nostro)
  if (books) await takeHouseTurn(tx)
}

interface Sums {
  readonly rest: bigint
  readonly sum: bigint
  readonly booked: bigint
  readonly currency: string
}

function checkRest({ rest, sum, booked, currency }: Sums, rest_as: RestKind | undefined): void {
  if (rest !== 0n && rest_as === undefined) {
    const message =
      `The lines sum to ${moneyWords(sum, currency)} and the items to ` +
      `${moneyWords(booked, currency)}: say what ${moneyWords(rest, currency)} is.`
    refuseIfAny([invalidField('rest_as', message)])
  }
  if (rest === 0n && rest_as !== undefined) {
    refuseIfAny([invalidField('rest_as', 'The sums are equal: nothing is left to book.')])
  }
}

/** Refuses unknown members (404), and those of another match (409). Locks them. */
export async function openMembers(
  tx: TransactionSql,
  kind: 'line' | 'item',
  numbers: readonly bigint[],
): Promise<Member[]> {
  const found = await lockMembers(tx, kind, numbers)
  const field = `${kind}s`
  const unknown = numbers.find(number => !found.some(({ id }) => id === number))
  if (unknown !== undefined) {
    throw refusal('not_found', `There is no ${kind} ${caseId(kind, unknown)}.`, field)
  }
  if (new Set(numbers).size < numbers.length) {
    refuseIfAny([invalidField(field, `A ${kind} is named twice.`)])
  }
  const taken = found.find(({ match }) => match !== null)
  if (taken?.match != null) {
    const other = caseId('match', taken.match)
    const message = `${caseId(kind, taken.id)} is in ${other}: undo it first.`
    throw refusal('invalid_transition', message, field)
  }
  return found
}

/** The nostro that all members are of, in its currency. */
async function nostroOf(tx: TransactionSql, members: readonly Member[]): Promise<Nostro> {
  const names = [...new Set(members.map(({ nostro }) => nostro))]
  const [name = ''] = names
  if (names.length > 1) {
    const words = names.map(one => one || 'none').join(' and ')
    refuseIfAny([invalidField('items', `A match has one nostro; these are of ${words}.`)])
  }
  const nostro = (await listNostros(tx)).find(one => one.name === name)
  if (nostro === undefined) {
    throw refusal('invalid_transition', 'These items have no nostro yet.', 'items')
  }
  const other = members.find(({ currency }) => currency !== nostro.currency)
  if (other !== undefined) {
    const message = `${name} is in ${nostro.currency}, and a line or item is in ${other.currency}.`
    refuseIfAny([invalidField('lines', message)])
  }
  return nostro
}

const sumOf = (members: readonly Member[]) => members.reduce((sum, one) => sum + one.amount, 0n)

export const today = (): IsoDate => new Date().toISOString().slice(0, 10)

interface Rest {
  readonly rest: bigint
  readonly value_on: IsoDate
  readonly rest_as: RestKind
  readonly to: string | undefined
}

/** The match with a further item, which a journal of the house makes. */
async function withRest(
  tx: TransactionSql,
  nostro: Nostro,
  match: NewMatch,
  { rest, value_on, rest_as, to }: Rest,
): Promise<NewMatch> {
  const code = AGAINST[rest_as]
  const postings =
    code === undefined
      ? movedBetween(nostro, await otherOf(tx, nostro, to), rest)
      : movedOn(nostro, rest, code)
  const house_number = await bookHouse(tx, {
    ...{ kind: rest_as, value_on, or_later: true, postings },
    ...{ reference: '', note: match.note, by: match.by },
  })
  const items = await findHouseItems(tx, house_number)
  const own = items.filter(item => item.nostro === nostro.name)
  return { ...match, house_number, items: [...match.items, ...own.map(({ id }) => id)] }
}

/** The other nostro of a transfer. Refuses (400) one that cannot take part. */
async function otherOf(tx: TransactionSql, nostro: Nostro, to = ''): Promise<Nostro> {
  const other = (await listNostros(tx)).find(({ name }) => name === to)
  const isFit = other?.closed_at === null && other.currency === nostro.currency
  if (other !== undefined && isFit && to !== nostro.name) return other
  const named = to === '' ? 'Name' : `${to} is not`
  const message = `${named} another open account at a bank in ${nostro.currency}.`
  throw new Refusal([invalidField('to', message)])
}

export interface AskedUndo {
  readonly id: bigint
  readonly note: string
  readonly by: string
}

/**
 * Undoes a match, and reverses what was booked in the books of the house for it. Refuses (409) one
 * that is undone, whose funding stands, whose transfer the other bank has confirmed, or whose
 * payment back the bank has debited.
 */
export async function undoByPerson(tx: TransactionSql, asked: AskedUndo): Promise<StoredMatch> {
  await actForTheHouse(tx)
  await takeTurns(tx, { match: asked.id }, true)
  const name = caseId('match', asked.id)
  const match = await lockMatch(tx, asked.id)
  if (match === undefined) throw refusal('not_found', `There is no match ${name}.`)
  if (match.undone_at !== null) throw refusal('invalid_transition', `${name} is undone already.`)
  if (match.rule === 'reversal') {
    throw refusal('invalid_transition', `${name} pairs a journal of the house with its reversal.`)
  }
  const [account] = match.lines.length === 0 ? [] : await listStandingFundings(tx, asked.id)
  if (account !== undefined) {
    const message = `${name} has a funding of ${account}: reverse the funding first.`
    throw refusal('invalid_transition', message)
  }
  await undo(tx, asked)
  for (const number of [match.house_number, await findReturn(tx, asked.id)]) {
    if (number != null) await reverseJournal(tx, number, asked)
  }
  return match
}

/** Reverses a journal of the match, and pairs the items of both, which are open otherwise. */
async function reverseJournal(
  tx: TransactionSql,
  number: bigint,
  { by, note }: AskedUndo,
): Promise<void> {
  const made = await findHouseItems(tx, number)
  const confirmed = made.find(item => item.match !== null)
  if (confirmed?.match != null) {
    const other = caseId('match', confirmed.match)
    const where = `on ${confirmed.nostro} is in ${other}`
    const message = `The other side ${where}: undo it first.`
    throw refusal('invalid_transition', message)
  }
  const reversal =
    (await findReversal(tx, number)) ??
    (await reverseHouse(tx, number, { value_on: today(), note, by }))
  const taken_back = await findHouseItems(tx, reversal)
  const pairs = made.map((item): NewMatch => {
    const back = taken_back.find(one => one.nostro === item.nostro)
    if (back === undefined) throw new Error(`journal ${reversal} has no item on ${item.nostro}`)
    if (back.match !== null) {
      const other = caseId('match', back.match)
      const message = `The reversal on ${item.nostro} is in ${other}: undo it first.`
      throw refusal('invalid_transition', message)
    }
    const of = { nostro: item.nostro, rule: 'reversal', by, note, house_number: null } as const
    return { ...of, lines: [], items: [item.id, back.id], sum: 0n }
  })
  await writeMatches(tx, pairs)
}
