// The statements of the house's accounts at banks: lists them, takes one that a person sends, and
// sets how a provider's CSV file is read.
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import {
  Closed,
  Literals,
  MinorText,
  optional,
  Text,
  Timestamp,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { CONTINUITIES } from '../treasury/statement/continuity.ts'
import { type CsvMapping, readCsvMapping } from '../treasury/statement/csv-mapping.ts'
import {
  type ImportedFile,
  importStatements,
  isRefused,
  previewStatements,
  type StatementSource,
  type TakenStatement,
} from '../treasury/statement/import.ts'
import { STATEMENT_FORMATS, type StatementLine } from '../treasury/statement/statement.ts'
import { listStatements, type ShownStatement } from '../treasury/statement/store.ts'
import type { Surveyed } from '../treasury/statement/survey.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { amountToJson } from '../values/money/json.ts'
import { moneyWords } from '../values/money/words.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { changeNostro, Day, NostroPath, nostroNamed } from './nostro-changes.ts'

/** Of a request with a file of statements: larger files come by other ways. */
const MAX_STATEMENT_BYTES = 4 * 1024 * 1024

/** The lines that a dry run shows. */
export const SHOWN_LINES = 10

const OF_STATEMENT = {
  nostro: Type.String(),
  statement_id: Type.String({ description: 'The id that the bank gives it.' }),
  format: Literals(STATEMENT_FORMATS),
  opened_on: Day,
  closed_on: Day,
  opening: Type.Union([MinorText('The balance before its lines.'), Type.Null()]),
  closing: Type.Union([MinorText('The balance behind its lines.'), Type.Null()]),
  lines: Type.Integer(),
  held: Type.Integer({ description: 'Lines that other statements had already.' }),
}

const State = Literals(CONTINUITIES, {
  description:
    '`proved`: it follows the one before it. `gap`: one before it is missing, or it has no ' +
    'balances. `overlap`: it has lines of others and agrees with none. `sum_differs`: its lines ' +
    'do not lead from its opening to its closing balance.',
})

export const StatementResponse = Type.Object(
  {
    id: Type.String({ examples: ['statement_42'] }),
    ...OF_STATEMENT,
    state: State,
    file: Type.String({ description: 'The name of the file that it came in.' }),
    received_at: Timestamp,
  },
  { title: 'BankStatement', description: 'A statement of an account at a bank.' },
)

const LineResponse = Type.Object(
  {
    booked_on: Day,
    amount: Type.Integer({ description: 'Minor units; negative for money out.' }),
    currency: Type.String(),
    end_to_end_id: Type.String(),
    bank_reference: Type.String(),
    counterparty_name: Type.String(),
    text: Type.String(),
  },
  { title: 'BankLinePreview' },
)

export const ImportedResponse = Type.Object(
  {
    sha256: Type.String({ description: 'SHA-256 of the bytes, in hex.' }),
    known: Type.Boolean({ description: 'Whether the same bytes were taken before.' }),
    dry_run: Type.Boolean(),
    statements: Type.Array(
      Type.Object({
        id: textOrNull({ description: 'Null for a statement that was not written.' }),
        ...OF_STATEMENT,
        final: Type.Boolean({
          description: 'Whether the bank changes none of it. Others make no lines.',
        }),
        left_out: Type.Integer({ description: 'Lines from before the opening of the nostro.' }),
        state: Type.Union([State, Type.Null()]),
      }),
    ),
    first_lines: Type.Array(LineResponse, {
      description: `The first ${SHOWN_LINES} lines of a dry run.`,
    }),
  },
  { title: 'ImportedStatements', description: 'What was taken from a file of statements.' },
)
export type Imported = Static<typeof ImportedResponse>

/** As long as a member of a body may be; without it, a text has 8,192 characters. */
const MAX_PIECE = 256 * 1024

const FileText = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_PIECE, pattern: '^[^\\u0000]*$', description })

const ImportRequest = Closed(
  {
    content: FileText(
      'The file as text: camt.053, MT940, BAI2, or CSV by the mapping of the nostro. Larger ' +
        'files come by `corridor nostro import` or the inbox of a rail.',
    ),
    ...optional({
      more: Type.Array(FileText('A piece.'), {
        maxItems: 100,
        description: 'How the text goes on: one text has at most 256 KiB, the body 4 MiB.',
      }),
      file_name: Text(200, { description: 'What the file is called.' }),
      dry_run: Type.Boolean({ description: 'Reads the file, and writes nothing.' }),
    }),
  },
  { title: 'ImportStatement' },
)

const list = reading({
  name: 'nostro statements',
  path: '/v3/operator/nostro/:name/statement',
  operationId: 'listBankStatements',
  summary: 'List the statements of an account at a bank, newest first.',
  description: 'At most 100. `until` continues with those before.',
  params: NostroPath,
  query: Closed(
    optional({
      until: Type.String({
        format: 'date',
        description: 'Only those that end on this day or before.',
      }),
    }),
  ),
  response: StatementResponse,
  list: true,
  async find(audit, { name, until }) {
    const { currency } = await nostroNamed(audit, name)
    const found = await listStatements(audit, name, { until, limit: 100 })
    return found.map(one => ({ ...presentStatement(one), currency }))
  },
  present: found => found.map(({ currency: _, ...statement }) => statement),
  command: {
    words: statements =>
      statements.map(({ currency, ...one }) => ({
        statement: one.id,
        'bank’s id': one.statement_id,
        days: daysOf(one),
        lines: String(one.lines),
        held: String(one.held),
        opening: wordsOf(one.opening, currency),
        closing: wordsOf(one.closing, currency),
        state: one.state,
      })),
    none: 'no statement: corridor nostro import takes one',
    help: `
A statement that does not follow the one before it is a gap: one is missing. It
closes by itself when that statement comes.

Example:
  corridor nostro statements eur_main`,
  },
})

const send = writing({
  name: 'nostro import',
  path: '/v3/operator/nostro/:name/statement',
  operationId: 'importBankStatement',
  summary: 'Take a statement of an account at a bank.',
  description:
    'Each line is taken once: bytes, statements and lines that were taken before add nothing. ' +
    'A file with a statement of another account is refused, and nothing of it is taken.',
  params: NostroPath,
  body: ImportRequest,
  response: ImportedResponse,
  maxBytes: MAX_STATEMENT_BYTES,
  async run(acting, { name, content, more = [], file_name = '', dry_run = false }) {
    await nostroNamed(acting.audit, name)
    const bytes = Buffer.from(withoutEncoding([content, ...more].join('')))
    const by = acting.operator.name
    const file = { name: file_name, size: bytes.length, by, nostro: name }
    const source = { ...file, ...sourceOf([bytes]) }
    return acting.change(sql => importFile(sql, source, dry_run).catch(refuseContent))
  },
})

const MappingRequest = Closed(
  {
    mapping: Type.Union(
      [Type.Record(Type.String(), Type.Unknown(), { maxProperties: 40 }), Type.Null()],
      {
        description: 'Names of columns by the members of a line; null removes the mapping.',
      },
    ),
  },
  { title: 'SetStatementMapping' },
)

const MappingResponse = Type.Object(
  { nostro: Type.String(), mapping: MappingRequest.properties.mapping },
  { title: 'StatementMapping' },
)

const map = writing({
  name: 'nostro mapping',
  path: '/v3/operator/nostro/:name/mapping',
  operationId: 'setStatementMapping',
  summary: 'Say how the columns of a provider’s CSV statements are read.',
  params: NostroPath,
  body: MappingRequest,
  response: MappingResponse,
  asksPassword: true,
  run: (acting, { name, mapping }) => acting.change(sql => setMapping(sql, name, mapping)),
})

export const nostroStatements: ActionGroup = { actions: [list, send, map] }

/** A text that came as JSON has no encoding: one that its XML declares was that of a file. */
const withoutEncoding = (content: string) =>
  content.replace(/^(\uFEFF?<\?xml\b[^>]*?)\s+encoding\s*=\s*(?:"[^"]*"|'[^']*')/, '$1')

/** Null removes the mapping. Refuses one that is not valid, by its members. */
export async function setMapping(sql: Sql, name: string, mapping: object | null) {
  const read = mapping === null ? { value: undefined } : readCsvMapping(mapping)
  const { messages = [] } = 'messages' in read ? read : {}
  refuseIfAny(messages.map(message => invalidField('mapping', message)))
  await changeNostro(sql, name, ({ nostro }) => {
    const { format: _, mapping: __, ...others } = nostro.settings.statement ?? {}
    const statement = read.value === undefined ? others : { ...others, ...csvSettings(read.value) }
    return { ...nostro, settings: { ...nostro.settings, statement } }
  })
  return { nostro: name, mapping: mapping as Record<string, unknown> | null }
}

const csvSettings = (mapping: CsvMapping) => ({
  format: 'csv',
  mapping: mapping as unknown as Readonly<Record<string, string>>,
})

/** Of bytes in memory. */
function sourceOf(bytes: readonly Buffer[]): Pick<StatementSource, 'sha256' | 'files' | 'rail'> {
  const sha256 = hash('sha256', Buffer.concat(bytes), 'hex')
  return {
    sha256,
    rail: '',
    files: [
      async function* () {
        yield* bytes
      },
    ],
  }
}

/** Throws what `importStatements` throws. */
export async function importFile(
  sql: Sql,
  source: StatementSource,
  dry_run: boolean,
): Promise<Imported> {
  const { sha256 } = source
  if (dry_run) {
    const { statements, lines } = await previewStatements(sql, source, SHOWN_LINES)
    const shown = statements.map(one => presentTaken({ ...one, ...NOT_WRITTEN }))
    return {
      ...{ sha256, known: false, dry_run, statements: shown },
      first_lines: lines.map(presentLine),
    }
  }
  return presentImported(await importStatements(sql, source))
}

const NOT_WRITTEN = { id: undefined, held: 0, state: undefined } as const

function presentImported({ sha256, is_known, statements }: ImportedFile): Imported {
  const taken = statements.map(presentTaken)
  return { sha256, known: is_known, dry_run: false, statements: taken, first_lines: [] }
}

function presentTaken({
  nostro,
  is_final,
  is_taken: _,
  id,
  ...statement
}: TakenStatement | (Surveyed & typeof NOT_WRITTEN)) {
  const { statement_id, format, opened_on, closed_on, opening, closing } = statement
  const { lines, held, left_out, state = null } = statement
  return {
    id: id === undefined ? null : idOf(id),
    ...{ nostro: nostro.name, statement_id, format, opened_on, closed_on },
    opening: textOf(opening),
    closing: textOf(closing),
    ...{ lines, held, final: is_final, left_out, state },
  }
}

function presentLine(line: StatementLine) {
  const { booked_on, currency, end_to_end_id, bank_reference, counterparty_name, text } = line
  const amount = amountToJson(line.amount)
  return { booked_on, amount, currency, end_to_end_id, bank_reference, counterparty_name, text }
}

function presentStatement(statement: ShownStatement) {
  const { nostro, statement_id, format, opened_on, closed_on, opening, closing } = statement
  const { lines, held, state, file, received_at } = statement
  return {
    id: idOf(statement.id),
    ...{ nostro, statement_id, format, opened_on, closed_on },
    opening: textOf(opening),
    closing: textOf(closing),
    ...{ lines, held, state, file, received_at },
  }
}

const idOf = (id: bigint) => `statement_${id}`
const textOf = (amount: bigint | null) => (amount === null ? null : String(amount))
const wordsOf = (amount: string | null, currency: string) =>
  amount === null ? '' : moneyWords(BigInt(amount), currency)
const daysOf = ({ opened_on, closed_on }: { opened_on: string; closed_on: string }) =>
  opened_on === closed_on ? closed_on : `${opened_on} to ${closed_on}`

function refuseContent(error: unknown): never {
  if (!isRefused(error)) throw error
  const message = `${error.message}; nothing of the file is taken.`
  throw refusal('invalid_field', message, 'content')
}

/** What became of a file, one line a statement. */
export function importedWords({ known, dry_run, statements, first_lines }: Imported): string {
  if (known) return 'the same file was taken before; nothing is added'
  const lines = statements.map(one => {
    const held = one.held === 0 ? '' : `, ${one.held} of them held already`
    const left_out = one.left_out === 0 ? '' : `, ${one.left_out} from before the opening left out`
    const what = `${one.nostro}  ${daysOf(one)}: ${one.lines} lines${held}${left_out}`
    if (!one.final) return `${what}; not final, so none is taken`
    return one.state === null ? what : `${what}; ${one.state}`
  })
  const shown = first_lines.map(
    ({ booked_on, amount, currency, end_to_end_id, counterparty_name, text }) =>
      [
        ...[booked_on, moneyWords(BigInt(amount), currency)],
        ...[end_to_end_id, counterparty_name, text].filter(part => part !== ''),
      ].join('  '),
  )
  const end = dry_run ? ['', ...shown, '', 'a dry run: nothing is written'] : []
  return [...lines, ...end].join('\n')
}
