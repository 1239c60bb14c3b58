// Statements that go to the server together, with one Sync behind the last: the server answers them
// in one piece. When one of them fails, the server skips the others, so a group with more than one
// statement is part of a transaction.
import pg from 'pg'
import { isConnectionLost, PostgresError } from './failure.ts'
import { describe, NOTHING, nameOf, readRow, type Shape, shapeOf } from './result.ts'
import type { Row, Rows, Sent } from './sql.ts'

/** A statement, and the caller who waits for its answer. */
export interface Pending {
  readonly sent: Sent
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: Error) => void
  /** Is told an error before the promise rejects. */
  readonly onFailure: ((error: Error) => void) | undefined
}

/** Takes the answer to a statement: an error, or its rows. */
export type Answered = (pending: Pending, error: Error | undefined, rows?: Rows) => void

interface Prepared {
  readonly name: string
  /** The columns of its rows; undefined until the server has described them. */
  shape: Shape | undefined
}

/** The statements that a connection has prepared, by text. */
export class PreparedStatements {
  readonly #known = new Map<string, Prepared>()
  /** Is part of the names, so that no name is prepared twice. */
  #generation = 0

  find(text: string): Prepared | undefined {
    return this.#known.get(text)
  }

  add(text: string): Prepared {
    const prepared = { name: `${nameOf(text)}_${this.#generation}`, shape: undefined }
    this.#known.set(text, prepared)
    return prepared
  }

  /** Forgets statements that the server may not know; all of them without `texts`. */
  forget(texts: readonly string[] = [...this.#known.keys()]): void {
    for (const text of texts) this.#known.delete(text)
    if (texts.length > 0) this.#generation += 1
  }
}

/** The messages that pg writes. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  parse(message: { readonly text: string; readonly name: string }): void
  bind(message: { readonly statement: string; readonly values: readonly (string | null)[] }): void
  describe(message: { readonly type: 'P'; readonly name: string }): void
  execute(message: object): void
  sync(): void
}

// pg takes only objects of its own class. It calls the methods in the order of the answers.
export class Group extends pg.Query {
  readonly #pending: readonly Pending[]
  readonly #answered: Answered
  readonly #statements: PreparedStatements
  /** The texts that this group prepares; the server skips those behind an error. */
  readonly #parsed = new Map<number, string>()
  #at = 0
  #shape: Shape | undefined
  #rows: Row[] = []
  /** The first row that could not be read. */
  #unreadable: Error | undefined

  constructor(pending: readonly Pending[], statements: PreparedStatements, answered: Answered) {
    super('')
    this.#pending = pending
    this.#answered = answered
    this.#statements = statements
  }

  override submit = ((wire: Wire) => {
    wire.stream.cork()
    for (let i = 0; i < this.#pending.length; i++) this.#write(wire, i)
    wire.sync()
    wire.stream.uncork()
  }) as unknown as pg.Query['submit']

  #write(wire: Wire, i: number): void {
    const { text, parameters, prepare } = (this.#pending[i] as Pending).sent
    const known = prepare ? this.#statements.find(text) : undefined
    const { name, shape } = known ?? (prepare ? this.#statements.add(text) : UNNAMED)
    if (known === undefined) wire.parse({ text, name })
    if (known === undefined && prepare) this.#parsed.set(i, text)
    wire.bind({ statement: name, values: parameters })
    if (shape === undefined) wire.describe(UNNAMED_PORTAL)
    wire.execute(ALL_ROWS)
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#shape = shapeOf(fields)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.#shape ??= this.#prepared()?.shape ?? NOTHING
      this.#rows.push(readRow(this.#shape, fields))
    } catch (error) {
      this.#unreadable ??= error as Error
    }
  }

  /** A text such as `SELECT 1`, `INSERT 0 1` or `CREATE TABLE`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const end = text.indexOf(' ')
    const count = end === -1 ? 0 : Number(text.slice(text.lastIndexOf(' ') + 1))
    this.#complete(end === -1 ? text : text.slice(0, end), Number.isNaN(count) ? 0 : count)
  }

  handleEmptyQuery(): void {
    this.#complete('', 0)
  }

  handlePortalSuspended(): void {}

  handleReadyForQuery(): void {}

  /** The statement whose answer is due has failed, or the connection is lost. */
  handleError(error: Error): void {
    this.#statements.forget([...this.#parsed].flatMap(([i, text]) => (i < this.#at ? [] : [text])))
    const failed = this.#pending.slice(this.#at)
    this.#at = this.#pending.length
    const is_skipped =
      error instanceof pg.DatabaseError && !isConnectionLost(new PostgresError(error))
    for (const [i, one] of failed.entries())
      this.#answered(one, i > 0 && is_skipped ? skipped() : error)
  }

  #complete(command: string, count: number): void {
    const rows = this.#rows
    const error = this.#unreadable
    const prepared = this.#prepared()
    if (prepared !== undefined) prepared.shape ??= this.#shape ?? NOTHING
    const pending = this.#pending[this.#at]
    this.#at += 1
    this.#shape = undefined
    this.#rows = []
    this.#unreadable = undefined
    if (pending !== undefined) this.#answered(pending, error, describe(rows, count, command))
  }

  #prepared(): Prepared | undefined {
    const { sent } = this.#pending[this.#at] ?? {}
    return sent?.prepare === true ? this.#statements.find(sent.text) : undefined
  }
}

const UNNAMED_PORTAL = { type: 'P', name: '' } as const
const ALL_ROWS = {}
const UNNAMED: Prepared = { name: '', shape: undefined }

/** The answer that the server gives to statements of a failed transaction. */
function skipped(): pg.DatabaseError {
  const error = new pg.DatabaseError(
    'an earlier statement of the transaction has failed',
    0,
    'error',
  )
  return Object.assign(error, { code: '25P02', severity: 'ERROR' })
}
