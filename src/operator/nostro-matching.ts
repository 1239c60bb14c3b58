// What people do with open lines and items: match, book, undo, and write notes; and a nostro's own
// rules.
import type { Static } from 'typebox'
import { Closed, Literals, MinorText, optional, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { matchByPerson, REST_KINDS, undoByPerson } from '../treasury/match/by-person.ts'
import { caseId, caseNumber, readCaseId } from '../treasury/match/case-id.ts'
import { insertNote } from '../treasury/match/exception-store.ts'
import { matchNostro } from '../treasury/match/match-nostro.ts'
import { actForTheHouse } from '../treasury/nostro-store.ts'
import { moneyWords } from '../values/money/words.ts'
import { type Acting, type ActionGroup, writing } from './action.ts'
import { exceptions, items, lines, matches, NOSTRO_NAME, notes } from './nostro-cases.ts'
import { NostroPath, nostroNamed } from './nostro-changes.ts'
import { credit } from './nostro-credit.ts'
import { propose } from './nostro-propose.ts'
import { giveBack } from './nostro-return.ts'
import { addRule, removeRule, rules } from './nostro-rules.ts'
import { CaseId, PATHS } from './nostro-shown.ts'
import { suggest } from './nostro-suggest.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { known } from './operator-write.ts'

/** A match of more is made by the rules. */
const MOST_MEMBERS = 500

const Note = Text(500, { minLength: 1, description: 'What you found, or why; one line.' })
const RestAs = Literals(REST_KINDS, {
  description: 'What the sums differ by: `cost` for a fee that was deducted.',
})
const To = Type.String({
  pattern: NOSTRO_NAME,
  description: 'The other account at a bank, of a transfer.',
})

const MatchRequest = Closed(
  optional({
    lines: Type.Array(CaseId('A line.', 'line'), {
      maxItems: MOST_MEMBERS,
      description: 'The lines of the bank.',
    }),
    items: Type.Array(CaseId('An item.', 'item'), {
      maxItems: MOST_MEMBERS,
      description: 'The items of the books.',
    }),
    rest_as: RestAs,
    to: To,
    note: Note,
  }),
  { title: 'MatchRequest', description: 'Lines and items of one account at a bank.' },
)

const MatchResponse = Type.Object(
  {
    match: CaseId('The match.', 'match'),
    nostro: Type.String(),
    currency: Type.String(),
    amount: MinorText('The sum of its lines, and of its items.'),
    rest: MinorText('What was booked for it in the books of the house.'),
  },
  { title: 'MadeMatch' },
)

const MATCH_HELP = `
The sums of lines and items must be equal. What they differ by is booked by
--rest-as in the same transaction: a fee that the bank has deducted is a cost.

Examples:
  corridor nostro match --lines line_42 --items item_17
  corridor nostro match --lines line_42 --items item_17 --rest-as cost`

const match = writing({
  name: 'nostro match',
  path: '/v3/operator/nostro_match',
  operationId: 'matchLines',
  summary: 'Match lines of a bank with items of the books, and book what is left over.',
  body: MatchRequest,
  response: MatchResponse,
  refusals: ['not_found', 'invalid_transition'],
  run: (acting, { lines = [], items = [], ...asked }) =>
    matched(acting, { lines, items, ...asked }),
  command: {
    words: madeWords,
    options: {
      lines: 'line ids, such as line_42,line_43',
      items: 'item ids, such as item_17',
      rest_as: 'what the sums differ by',
      to: 'the other account at a bank, with --rest-as transfer',
    },
    help: MATCH_HELP,
  },
})

const BookRequest = Closed(
  { as: RestAs, ...optional({ to: To, note: Note }) },
  { title: 'BookLine' },
)

const book = writing({
  name: 'nostro book',
  path: '/v3/operator/nostro_line/:id/book',
  operationId: 'bookLine',
  summary: 'Book a line of a bank that no item explains: a fee, interest, a transfer.',
  params: PATHS.line,
  body: BookRequest,
  response: MatchResponse,
  refusals: ['invalid_transition'],
  run: (acting, { id, as, ...asked }) =>
    matched(acting, { lines: [id], items: [], rest_as: as, ...asked }),
  command: {
    words: madeWords,
    subject: 'line',
    listed: 'nostro lines',
    options: {
      id: 'line id, as corridor nostro lines shows it',
      as: 'what it is',
      to: 'the other account at a bank, with --as transfer',
    },
    help: '\nExample:\n  corridor nostro book line_42 --as cost --note "Account fee"',
  },
})

type Asked = Static<typeof MatchRequest>

function matched<Shown>(acting: Acting<Shown>, asked: Asked): Promise<Shown> {
  const { lines = [], items = [], rest_as, to, note = '' } = asked
  return oneAtATime(() =>
    acting.change(sql =>
      sql.begin(async tx => {
        const made = await matchByPerson(tx, {
          lines: lines.map(id => caseNumber('line', id)),
          items: items.map(id => caseNumber('item', id)),
          ...{ rest_as, to, note, by: acting.operator.name, is_login: acting.operator.is_login },
        })
        const { id, nostro, currency, sum, rest } = made
        const amounts = { amount: String(sum), rest: String(rest) }
        return { match: caseId('match', id), nostro, currency, ...amounts }
      }),
    ),
  )
}

function madeWords({ match, currency, amount, rest }: Static<typeof MatchResponse>): string {
  const sum = moneyWords(BigInt(amount), currency)
  const booked = rest === '0' ? '' : `, ${moneyWords(BigInt(rest), currency)} booked`
  return `${match}  ${sum} matched${booked}`
}

const UndoneResponse = Type.Object(
  {
    match: CaseId('The match.', 'match'),
    lines: Type.Integer({ description: 'How many lines are open again.' }),
    items: Type.Integer({ description: 'How many items are open again.' }),
  },
  { title: 'UndoneMatch' },
)

const UNDO_HELP = `
Lines and items are open again, and the rules never pair them a second time. A
journal that was booked with the match is reversed. A match that holds the
funding of an account is refused until the funding is reversed.

Example:
  corridor nostro undo match_9 --note "The fee was of another payout"`

const undo = writing({
  name: 'nostro undo',
  path: '/v3/operator/nostro_match/:id/undo',
  operationId: 'undoMatch',
  summary: 'Undo a match: its lines and items are open again, and what was booked is reversed.',
  params: PATHS.match,
  body: Closed({ note: Note }, { title: 'UndoMatch' }),
  response: UndoneResponse,
  refusals: ['invalid_transition'],
  run: (acting, { id, note }) =>
    oneAtATime(() =>
      acting.change(sql =>
        sql.begin(async tx => {
          const asked = { id: caseNumber('match', id), note, by: acting.operator.name }
          const { lines, items, house_number } = await undoByPerson(tx, asked)
          const open = items.length - (house_number === null ? 0 : 1)
          return { match: id, lines: lines.length, items: open }
        }),
      ),
    ),
  command: {
    words: ({ match, lines, items }) =>
      `${match}  undone; open again: lines ${lines}, items ${items}`,
    subject: 'match',
    listed: 'nostro lines',
    options: { id: 'match id', note: 'why; one line' },
    help: UNDO_HELP,
  },
})

const note = writing({
  name: 'nostro note',
  path: '/v3/operator/nostro_case/:id/note',
  operationId: 'noteCase',
  summary: 'Write a note on a line, an item or a statement, or say who looks after it.',
  params: PATHS.case,
  body: Closed(
    {
      note: Text(1000, { minLength: 1, description: 'What you found; one line.' }),
      owner: Type.Optional(Text(200, { description: 'Who looks after it from now on.' })),
    },
    { title: 'NoteCase' },
  ),
  response: Type.Object({ id: Type.String(), owner: Type.String() }, { title: 'NotedCase' }),
  run: (acting, { id, note, owner = '' }) =>
    acting.change(async sql => {
      const { kind: of, number: row_id } = readCaseId(id, 'line', 'item', 'statement')
      const row = { of, row_id, by: acting.operator.name, owner, note }
      const written = await sql.begin(async tx => {
        await actForTheHouse(tx)
        return insertNote(tx, row)
      })
      known(of, id, written || undefined)
      return { id, owner }
    }),
  command: {
    words: ({ id, owner }) => `${id}  noted${owner === '' ? '' : `; ${owner} looks after it`}`,
    subject: 'case',
    listed: 'nostro exceptions',
    options: { id: 'the id of a line, an item or a statement' },
    help: '\nExample:\n  corridor nostro note line_42 --note "Asked the bank" --owner ada',
  },
})

const RunResponse = Type.Object(
  {
    by_key: Type.Integer({ description: 'Matches by an exact key.' }),
    by_block: Type.Integer({ description: 'Matches of a block of payments.' }),
    by_text: Type.Integer({ description: 'Matches by a key in the text.' }),
    by_account: Type.Integer({ description: 'Matches by the account of the payee.' }),
    by_nostro_rule: Type.Integer({ description: 'Lines booked by the rules of the account.' }),
  },
  { title: 'MatchRun', description: 'How many matches the rules have made.' },
)

const run = writing({
  name: 'nostro match-all',
  path: '/v3/operator/nostro/:name/match',
  operationId: 'matchNostro',
  summary: 'Match what is open by the rules that need no person, and say how much it was.',
  description: 'The service does so by itself after each statement and each new item.',
  params: NostroPath,
  emptyBody: 'MatchNostro',
  response: RunResponse,
  actsAgain: true,
  run: (acting, { name }) => acting.change(async sql => matchAll(sql, name)),
  command: {
    words: ({ by_key, by_block, by_text, by_account, by_nostro_rule }) =>
      `${by_key} by key, ${by_block} by block, ${by_text} by text, ` +
      `${by_account} by account, ${by_nostro_rule} by its rules`,
    help: '\nExample:\n  corridor nostro match-all eur_main',
  },
})

async function matchAll(sql: Sql, name: string) {
  return matchNostro(sql, await nostroNamed(sql, name))
}

export const nostroMatching: ActionGroup = {
  actions: [
    ...[lines, items, matches, suggest, exceptions, match, book, propose, credit, giveBack, undo],
    ...[note, notes, rules, addRule, removeRule, run],
  ],
}
