// The house's accounts at banks: adds, changes, closes and lists them, with what each bank has,
// what the books have, and the open lines and items that are the difference.
import { integerOrNull, Literals, MinorText, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { listPositions, type Position } from '../treasury/balance-store.ts'
import { type Cover, listCovers } from '../treasury/cover-store.ts'
import { NOSTRO_KINDS, type Nostro, POOLS, PURPOSES } from '../treasury/nostro.ts'
import { moneyWords } from '../values/money/words.ts'
import { toSecond } from '../values/text/age.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import {
  AddNostro,
  addNostro,
  closeEmpty,
  Day,
  NostroPath,
  nostroNamed,
  SetNostro,
  setNostro,
} from './nostro-changes.ts'

const NOSTRO = {
  ...{ name: Type.String(), kind: Literals(NOSTRO_KINDS), currency: Type.String() },
  ...{ institution: Type.String(), account: Type.String(), bic: Type.String() },
  ...{ purpose: Literals(PURPOSES), pool: Literals(POOLS), rails: Type.Array(Type.String()) },
  opening_balance: MinorText('The balance at the start of `opening_on`.'),
  opening_on: Day,
  closed_at: textOrNull({ format: 'date-time' }),
  low: Type.Union([MinorText('A forecast below it is a warning.'), Type.Null()]),
  critical: Type.Union([MinorText('A forecast below it wakes somebody.'), Type.Null()]),
  two_people_from: Type.Union([
    MinorText('From this amount on, two people decide whose a credit in suspense is.'),
    Type.Null(),
  ]),
  match_by_account: Type.Boolean({
    description: 'Whether the account of the payee matches by itself.',
  }),
  gate: Type.Boolean({ description: 'Whether payouts that it does not cover wait.' }),
  expected_days: integerOrNull(),
  calendar: textOrNull(),
  statement_due_by: textOrNull(),
}

export const NostroResponse = Type.Object(NOSTRO, { title: 'Nostro' })

const COVER = {
  cover: Type.Union(
    [MinorText('The books less what was handed over and is not settled.'), Type.Null()],
    { description: 'What payouts may still be handed over; null without a gate.' },
  ),
  waiting: MinorText('The sum of the payouts that wait for funds.'),
  waiting_count: Type.Integer(),
  waiting_since: textOrNull({ format: 'date-time', description: 'When the first began to wait.' }),
}

export const NostroInFull = Type.Object(
  {
    ...{ ...NOSTRO, ...COVER },
    mapping: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'How the columns of its CSV statements are read; null for no CSV.',
    }),
  },
  { title: 'NostroInFull' },
)

export const PositionResponse = Type.Object(
  {
    ...{ name: Type.String(), currency: Type.String() },
    ...{ purpose: Literals(PURPOSES), pool: Literals(POOLS) },
    bank: MinorText('What the bank has, by its statements.'),
    book: MinorText('What the books have.'),
    difference: MinorText('`bank` less `book`: the open lines less the open items.'),
    open_lines: MinorText('The sum of the lines of statements that no item explains.'),
    open_lines_count: Type.Integer(),
    open_items: MinorText('The sum of the items of the books that no line has confirmed.'),
    open_items_count: Type.Integer(),
    oldest_open_on: textOrNull({ description: 'The day of the oldest open line or item.' }),
    stated_on: textOrNull({ description: 'The last day that statements cover.' }),
    proved: Type.Boolean({
      description: 'Whether its statements form one chain of balances since the opening.',
    }),
    ...COVER,
  },
  { title: 'NostroPosition' },
)

const list = reading({
  name: 'nostro list',
  path: '/v3/operator/nostro',
  operationId: 'listNostros',
  summary: 'List the accounts at banks: what each bank has, what the books have, what is open.',
  response: PositionResponse,
  list: true,
  async find(audit) {
    const [positions, covers] = await Promise.all([listPositions(audit), listCovers(audit)])
    return positions.map(position => ({
      ...presentPosition(position),
      ...coverOf(covers, position.nostro),
    }))
  },
  command: {
    words: positions => positions.map(positionColumns),
    none: 'no account at a bank: corridor nostro add adds one',
    help: `
The difference is the sum of the open lines less the sum of the open items,
always: corridor nostro lines and corridor nostro items name them.

Example:
  corridor nostro list`,
  },
})

const show = reading({
  name: 'nostro show',
  path: '/v3/operator/nostro/:name',
  operationId: 'getNostro',
  summary: 'Show the settings of an account at a bank, and what it still covers.',
  params: NostroPath,
  response: NostroInFull,
  async find(audit, { name }) {
    const nostro = await nostroNamed(audit, name)
    const { mapping = null } = nostro.settings.statement ?? {}
    return { ...presentNostro(nostro), ...coverOf(await listCovers(audit), name), mapping }
  },
  command: {
    words: nostro => ({
      parts: [{ outline: { ...outlineOf(nostro), ...coverOutline(nostro) } }],
    }),
    help: '\nExample:\n  corridor nostro show eur_main',
  },
})

const add = writing({
  name: 'nostro add',
  path: '/v3/operator/nostro',
  operationId: 'addNostro',
  summary: 'Add an account of the installation at a bank, a provider or a chain.',
  description:
    'From `opening_on` on, payouts of its `rails` and bookings in its currency become items ' +
    'that the bank’s statements must confirm. Earlier ones are in the opening balance.',
  body: AddNostro,
  response: NostroResponse,
  refusals: ['currency', 'amount_out_of_range'],
  asksPassword: true,
  run: (acting, asked) => acting.change(async sql => presentNostro(await addNostro(sql, asked))),
  command: {
    words: nostro => `${nostro.name}: ${openingWords(nostro)}`,
    arguments: ['name', 'currency', 'opening_balance'],
    options: {
      name: 'what people call it, such as eur_main',
      currency: 'currency code',
      opening_balance: 'what the bank has at the start of --opening-on, such as 1000.00',
      opening_on: 'a day of UTC (default: today)',
      low: 'a forecast below it is a warning',
      critical: 'a forecast below it wakes somebody',
      two_people_from: 'from it on, two people decide whose a credit is',
    },
    help: `
Example:
  corridor nostro add eur_main EUR 1000000.00 --account DE89370400440532013000 \\
    --rails main_bank --opening-on 2026-12-01`,
  },
})

const set = writing({
  name: 'nostro set',
  method: 'PATCH',
  path: '/v3/operator/nostro/:name',
  operationId: 'setNostro',
  summary: 'Change the settings of an account at a bank.',
  description: 'Its currency, purpose and opening never change.',
  params: NostroPath,
  body: SetNostro,
  response: NostroResponse,
  refusals: ['amount_out_of_range', 'invalid_transition'],
  asksPassword: true,
  run: (acting, { name, ...asked }) =>
    acting.change(async sql => presentNostro(await setNostro(sql, name, asked))),
  command: {
    words: nostro => ({ parts: [{ outline: outlineOf(nostro) }] }),
    help: `
Example:
  corridor nostro set eur_main --rails main_bank,backup_bank \\
    --statement-due-by 07:30`,
  },
})

const close = writing({
  name: 'nostro close',
  path: '/v3/operator/nostro/:name/close',
  operationId: 'closeNostro',
  summary: 'Close an account at a bank, when both sides are zero and nothing is open.',
  params: NostroPath,
  emptyBody: 'CloseNostro',
  response: NostroResponse,
  refusals: ['invalid_transition'],
  asksPassword: true,
  run: (acting, { name }) => acting.change(async sql => presentNostro(await closeEmpty(sql, name))),
  command: {
    words: ({ name }) => `${name} is closed`,
    help: '\nExample:\n  corridor nostro close eur_old',
  },
})

export const nostros: ActionGroup = { actions: [list, show, add, set, close] }

function presentNostro({ settings, opening_balance, ...nostro }: Nostro) {
  const { low = null, critical = null, gate = false, match_by_account = false } = settings
  const { expected_days = null, statement = {} } = settings
  const { calendar = null, due_by: statement_due_by = null } = statement
  const { two_people_from = null } = settings
  const switches = { two_people_from, gate, match_by_account }
  const settled = { low, critical, ...switches, expected_days, calendar, statement_due_by }
  return {
    ...nostro,
    rails: [...nostro.rails],
    opening_balance: String(opening_balance),
    ...settled,
  }
}

type Shown = ReturnType<typeof presentNostro>

function openingWords({ currency, opening_balance, opening_on }: Shown): string {
  return `opens with ${moneyWords(BigInt(opening_balance), currency)} on ${opening_on}`
}

function outlineOf(nostro: Shown) {
  const { name, kind, currency, institution, account, bic, purpose, pool, rails } = nostro
  return {
    nostro: name,
    ...{ kind, currency, institution, account, bic, purpose, pool },
    rails: rails.join(', '),
    opening: openingWords(nostro),
    closed: nostro.closed_at ?? '',
    low: nostro.low === null ? '' : moneyWords(BigInt(nostro.low), currency),
    critical: nostro.critical === null ? '' : moneyWords(BigInt(nostro.critical), currency),
    'two people from':
      nostro.two_people_from === null ? '' : moneyWords(BigInt(nostro.two_people_from), currency),
    'matches by account': nostro.match_by_account ? 'yes' : '',
    gate: nostro.gate ? 'payouts that it does not cover wait' : '',
    'expected days': nostro.expected_days === null ? '' : String(nostro.expected_days),
    calendar: nostro.calendar ?? '',
    'statement due by': nostro.statement_due_by ?? '',
  }
}

/** What a nostro without a gate has too: nothing waits there. */
function coverOf(covers: readonly Cover[], name: string) {
  const found = covers.find(({ nostro }) => nostro === name)
  return {
    cover: found === undefined ? null : String(found.cover),
    waiting: String(found?.waiting ?? 0n),
    waiting_count: Number(found?.waiting_count ?? 0n),
    waiting_since: found?.waiting_since ?? null,
  }
}

type ShownCover = ReturnType<typeof coverOf>

function coverOutline({ currency, cover, ...shown }: ShownCover & { readonly currency: string }) {
  return {
    cover: cover === null ? '' : moneyWords(BigInt(cover), currency),
    'waits for funds': waitingWords({ currency, ...shown }),
  }
}

type ShownWaiting = Omit<ShownCover, 'cover'> & { readonly currency: string }

function waitingWords({ currency, waiting, waiting_count, waiting_since }: ShownWaiting): string {
  if (waiting_count === 0) return ''
  const sum = moneyWords(BigInt(waiting), currency)
  return `${waiting_count} payouts, ${sum}, since ${toSecond(waiting_since)}`
}

function presentPosition({ nostro, oldest_line, oldest_item, ...position }: Position) {
  const days = [oldest_line, oldest_item].filter(day => day !== null)
  return {
    name: nostro,
    ...{ currency: position.currency, purpose: position.purpose, pool: position.pool },
    bank: String(position.bank),
    book: String(position.book),
    difference: String(position.bank - position.book),
    open_lines: String(position.open_lines),
    open_lines_count: Number(position.open_lines_count),
    open_items: String(position.open_items),
    open_items_count: Number(position.open_items_count),
    oldest_open_on: days.toSorted()[0] ?? null,
    stated_on: position.stated_on,
    proved: position.proved,
  }
}

function positionColumns(position: ReturnType<typeof presentPosition> & ShownCover) {
  const { name, currency, open_lines_count, open_items_count, oldest_open_on } = position
  const { stated_on, proved } = position
  const major = (minor: string) => moneyWords(BigInt(minor), currency)
  return {
    nostro: name,
    bank: major(position.bank),
    book: major(position.book),
    difference: major(position.difference),
    open: `${open_lines_count} lines, ${open_items_count} items`,
    oldest: oldest_open_on ?? '',
    stated: stated_on === null ? 'no statement' : `${stated_on}${proved ? '' : ', not proved'}`,
    'waits for funds': waitingWords(position),
  }
}
