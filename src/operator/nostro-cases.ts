// Shows what is open on a nostro: lines, items, matches and exceptions.
import type { Static } from 'typebox'
import { Closed, Literals, MinorText, optional, Text, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { caseId, caseNumber, readCaseId } from '../treasury/match/case-id.ts'
import {
  dueDays,
  EXCEPTION_KINDS,
  type ExceptionKind,
  nextStep,
  type TreasuryException,
} from '../treasury/match/exception.ts'
import {
  type CaseCount,
  countCases,
  isCase,
  listCases,
  listNotes,
} from '../treasury/match/exception-store.ts'
import { listMatches } from '../treasury/match/match-store.ts'
import { listItems, listLines } from '../treasury/match/open-store.ts'
import type { Nostro } from '../treasury/nostro.ts'
import { listNostros } from '../treasury/nostro-store.ts'
import {
  listStatementTroubles,
  type StatementTrouble,
} from '../treasury/statement/continuity-store.ts'
import { moneyWords } from '../values/money/words.ts'
import { toSecond } from '../values/text/age.ts'
import { paging, reading } from './action.ts'
import {
  CaseId,
  ItemResponse,
  itemColumns,
  LineResponse,
  lineColumns,
  MatchResponse,
  PATHS,
  presentItem,
  presentLine,
  presentMatch,
} from './nostro-shown.ts'
import { known, knownAmong } from './operator-write.ts'
import { LimitText } from './request.ts'

const STATES = ['open', 'matched'] as const
export const NOSTRO_NAME = '^[a-z][a-z0-9_]{1,39}$'
const NostroName = Type.String({
  pattern: NOSTRO_NAME,
  description: 'The account at a bank.',
  examples: ['eur_main'],
})

const listQuery = (kind: 'line' | 'item') =>
  Closed({
    nostro: NostroName,
    ...optional({
      limit: LimitText,
      starting_after: CaseId('The page starts with what follows it.', kind),
      state: Literals(STATES, { description: '`open` by default.' }),
      id: CaseId('Only this one, open or matched.', kind),
    }),
  })

type List<Row> = (audit: Sql, listing: Parameters<typeof listLines>[1]) => Promise<readonly Row[]>

/** Finds a page of the lines, or of the items, of a nostro. */
const pageOf =
  <Row>(kind: 'line' | 'item', list: List<Row>) =>
  async (audit: Sql, query: Static<ReturnType<typeof listQuery>>, limit: number) => {
    const { nostro, state = 'open', starting_after, id } = query
    await knownNostro(audit, nostro)
    const numberOf = (one?: string) => (one === undefined ? 0n : caseNumber(kind, one))
    const [only, after] = [numberOf(id), numberOf(starting_after)]
    return list(audit, { nostro, state, only, after, limit: limit + 1 })
  }

const listing = { limit: 100, arguments: ['nostro'], subject: 'nostro', listed: 'nostro list' }

export const lines = paging({
  name: 'nostro lines',
  path: '/v3/operator/nostro_line',
  operationId: 'listNostroLines',
  summary: 'List the lines of a bank that no item of the books explains, oldest first.',
  query: listQuery('line'),
  response: LineResponse,
  find: pageOf('line', listLines),
  present: presentLine,
  command: {
    words: ({ rows }) => rows.map(row => lineColumns(presentLine(row))),
    none: 'no line',
    ...listing,
    help: '\nExample:\n  corridor nostro lines eur_main',
  },
})

export const items = paging({
  name: 'nostro items',
  path: '/v3/operator/nostro_item',
  operationId: 'listNostroItems',
  summary: 'List the items of the books that no line of the bank confirms, oldest first.',
  query: listQuery('item'),
  response: ItemResponse,
  find: pageOf('item', listItems),
  present: presentItem,
  command: {
    words: ({ rows }) => rows.map(row => itemColumns(presentItem(row))),
    none: 'no item',
    ...listing,
    help: '\nExample:\n  corridor nostro items eur_main',
  },
})

export const matches = paging({
  name: 'nostro matches',
  path: '/v3/operator/nostro_match',
  operationId: 'listMatches',
  summary: 'List the matches of lines of a bank with items of the books, newest first.',
  query: Closed({
    nostro: NostroName,
    ...optional({
      limit: LimitText,
      starting_after: CaseId('The page starts with what follows it.', 'match'),
    }),
  }),
  response: MatchResponse,
  async find(audit, { nostro, starting_after }, limit) {
    await knownNostro(audit, nostro)
    const before = starting_after === undefined ? NEWEST : caseNumber('match', starting_after)
    return listMatches(audit, { nostro, before, limit: limit + 1 })
  },
  present: presentMatch,
  command: {
    words: ({ rows }) => rows.map(row => matchColumns(presentMatch(row))),
    none: 'no match',
    ...listing,
    help: '\nExample:\n  corridor nostro matches eur_main',
  },
})

/** PostgreSQL's largest bigint. */
const NEWEST = 9_223_372_036_854_775_807n

function matchColumns({ id, at, rule, by, line_count, item_count, undone_by }: ShownMatch) {
  const members = `${line_count} / ${item_count}`
  const undone = undone_by === '' ? '' : `by ${undone_by}`
  return { match: id, at: toSecond(at), rule, by, 'lines / items': members, undone }
}

type ShownMatch = ReturnType<typeof presentMatch>

/** The longest list of exceptions; the counts are of all. */
const MOST_EXCEPTIONS = 200

const ExceptionResponse = Type.Object(
  {
    nostro: Type.String(),
    kind: Literals(EXCEPTION_KINDS),
    id: Type.String({ description: 'The line, item or statement; empty for one not here.' }),
    amount: MinorText('Money in, or out with a minus.'),
    currency: Type.String(),
    since: Type.String({ format: 'date' }),
    owner: Type.String({ description: 'Who looks after it; empty for nobody.' }),
    note: Type.String({ description: 'The last note.' }),
    payout: Type.String({ description: 'Of an item: its payout; else empty.' }),
    next: Type.String({ description: 'What a person types next.' }),
  },
  { title: 'TreasuryException' },
)

export const ExceptionsResponse = Type.Object(
  {
    counts: Type.Array(
      Type.Object({
        ...{ nostro: Type.String(), kind: Literals(EXCEPTION_KINDS), count: Type.Integer() },
        ...{ amount: MinorText('Their sum.'), oldest: Type.String({ format: 'date' }) },
      }),
    ),
    exceptions: Type.Array(ExceptionResponse, {
      description: `At most ${MOST_EXCEPTIONS}, the oldest first.`,
    }),
  },
  { title: 'TreasuryExceptions', description: 'What finance has to look at.' },
)

export const exceptions = reading({
  name: 'nostro exceptions',
  path: '/v3/operator/nostro_exception',
  operationId: 'listTreasuryExceptions',
  summary: 'List what finance has to look at, oldest first, with what to type next.',
  query: Closed(
    optional({
      nostro: NostroName,
      kind: Literals(EXCEPTION_KINDS, { description: 'Only those of this kind.' }),
      owner: Text(200, { description: 'Only those that this person looks after.' }),
    }),
  ),
  response: ExceptionsResponse,
  find: exceptionsOf,
  present: ({ counts, found }) => ({
    counts: counts.map(presentCount),
    exceptions: found.map(presentException),
  }),
  command: {
    words: ({ found }) => found.map(presentException).map(exceptionColumns),
    none: 'no exception',
    options: { nostro: 'only those of this account at a bank' },
    help: '\nExample:\n  corridor nostro exceptions --nostro eur_main',
  },
})

interface Asked {
  readonly nostro?: string
  readonly kind?: ExceptionKind
  readonly owner?: string
}

async function exceptionsOf(audit: Sql, { nostro = '', kind, owner = '' }: Asked) {
  if (nostro !== '') await knownNostro(audit, nostro)
  const open = (await listNostros(audit)).filter(({ closed_at }) => closed_at === null)
  const asked = open.filter(({ name }) => nostro === '' || name === nostro)
  const today = new Date().toISOString().slice(0, 10)
  const days = asked.map(one => dueDays(one, today))
  const filter = { nostro, kind: kind ?? '', owner } as const
  const [counted, listed, troubles] = await Promise.all([
    countCases(audit, days),
    listCases(audit, days, filter, MOST_EXCEPTIONS),
    listStatementTroubles(audit, nostro === '' ? undefined : nostro),
  ])
  const ofStatements = troubles.map(trouble => ofStatement(trouble, open))
  const wanted = ofStatements.filter(one => owner === '' && (kind ?? one.kind) === one.kind)
  const all = [...listed, ...wanted].sort((a, b) => (a.since < b.since ? -1 : 1))
  const counts = [
    ...counted.filter(one => nostro === '' || one.nostro === nostro),
    ...countsOf(ofStatements),
  ]
  return { counts, found: all.slice(0, MOST_EXCEPTIONS) }
}

function ofStatement(trouble: StatementTrouble, nostros: readonly Nostro[]): TreasuryException {
  const { nostro, kind, statement, day, words } = trouble
  const currency = nostros.find(({ name }) => name === nostro)?.currency ?? ''
  return {
    ...{ nostro, kind, of: 'statement', number: statement ?? 0n, amount: 0n, currency },
    ...{ since: day, payout_id: '', owner: '', note: words },
  }
}

function countsOf(troubles: readonly TreasuryException[]): CaseCount[] {
  const groups = Map.groupBy(troubles, ({ nostro, kind }) => `${nostro} ${kind}`)
  return [...groups.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const { nostro, kind, since: oldest } = first
    return [{ nostro, kind, count: more.length + 1, amount: 0n, oldest }]
  })
}

function presentCount({ amount, ...count }: CaseCount) {
  return { ...count, amount: String(amount) }
}

function presentException(one: TreasuryException) {
  const { nostro, kind, of, number, amount, currency, since, owner, note, payout_id: payout } = one
  const id = number === 0n ? '' : caseId(of, number)
  return {
    ...{ nostro, kind, id, amount: String(amount), currency, since, owner, note, payout },
    next: nextStep(one),
  }
}

function exceptionColumns(one: ReturnType<typeof presentException>) {
  const { nostro, kind, id, amount, currency, since, owner, next } = one
  const money = moneyWords(BigInt(amount), currency)
  return { nostro, kind, id, amount: money, since, owner, next }
}

export const NoteResponse = Type.Object(
  { at: Timestamp, by: Type.String(), owner: Type.String(), note: Type.String() },
  { title: 'CaseNote', description: 'A note of a person on a line, an item or a statement.' },
)

export const notes = reading({
  name: 'nostro notes',
  path: '/v3/operator/nostro_case/:id/note',
  operationId: 'listCaseNotes',
  summary: 'List the notes of people on a line, an item or a statement, newest first.',
  params: PATHS.case,
  response: NoteResponse,
  list: true,
  async find(audit, { id }) {
    const { kind: of, number } = readCaseId(id, 'line', 'item', 'statement')
    known(of, id, (await isCase(audit, of, number)) || undefined)
    const all = await listNotes(audit, of, number)
    return all.map(({ at, by, owner, note }) => ({ at, by, owner, note }))
  },
  command: {
    words: all => all.map(({ at, by, owner, note }) => ({ at, by, owner, note })),
    subject: 'case',
    none: 'no note',
    options: { id: 'the id of a line, an item or a statement' },
    help: '\nExample:\n  corridor nostro notes line_42',
  },
})

/** Refuses (404) an unknown name. */
async function knownNostro(audit: Sql, name: string) {
  return knownAmong('nostro', name, await listNostros(audit), one => one.name)
}
