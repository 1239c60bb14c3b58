// Statements as tagged templates: sql`select ${id}` makes a statement whose values travel apart
// from its text, as $1 and so on. Within another statement it is a fragment, and its text is put
// in place. Knows nothing of connections: whoever makes a tag says how a statement is sent.
import { PostgresError } from './failure.ts'
import { published } from './statements.ts'
import { type Parameter, writeParameter } from './values.ts'

/** A row whose columns the caller does not state. */
// biome-ignore lint/suspicious/noExplicitAny: a column may be of any type
export type Row = Record<string, any>

/** The rows that a statement returned. */
export type Rows<T extends readonly unknown[] = Row[]> = T & {
  /** How many rows it returned or changed. */
  readonly count: number
  /** What the server did, such as `SELECT`. A COMMIT may be answered with `ROLLBACK`. */
  readonly command: string
}

/** Where each literal stands: the stack when its first statement was made. */
const origins = new WeakMap<TemplateStringsArray, Error>()

/** A statement as it goes to the server. */
export interface Sent {
  readonly text: string
  readonly parameters: readonly (string | null)[]
  /** Whether the connection keeps it prepared: it is then planned once, not each time. */
  readonly prepare: boolean
}

/** A text without parameters, which no connection keeps prepared. */
export const plain = (text: string): Sent => ({ text, parameters: [], prepare: false })

/** Sends a statement. `write` throws when a value cannot be sent. */
export type Send = (write: () => Sent) => Promise<Rows>

/** What may stand in a template. */
type Value = Parameter | Fragment | Names

/** Tags of statements, for a pool or one transaction. */
export interface Tag {
  <T extends readonly unknown[] = Row[]>(
    text: TemplateStringsArray,
    ...values: readonly Value[]
  ): Statement<T>
  /** Names of columns or tables, quoted; `a.b` names b of a. */
  (names: string | readonly string[]): Names
  /** These members of a row, or all, as `(columns) values (...)` of an insert. */
  <R extends object>(row: R, columns?: readonly (keyof R & string)[]): Names
  /** A statement whose text the caller has put together: it must hold nothing that was sent. */
  unsafe<T extends readonly unknown[] = Row[]>(
    text: string,
    parameters?: readonly Parameter[],
    options?: { readonly prepare?: boolean },
  ): Statement<T>
}

/** Names, and the values behind them in an insert. */
class Names {
  readonly names: readonly string[]
  readonly values: readonly Parameter[] | undefined

  constructor(names: readonly string[], values?: readonly Parameter[]) {
    this.names = names
    this.values = values
  }

  /** Writes them as text. */
  write(into: Text): void {
    const names = this.names.map(quoteName).join(',')
    into.text += this.values === undefined ? names : `(${names})values(`
    if (this.values === undefined) return
    for (const [at, value] of this.values.entries()) {
      if (at > 0) into.text += ','
      into.addParameter(value)
    }
    into.text += ')'
  }
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`
}

/** The protocol counts them in 16 bits. */
const MAX_PARAMETERS = 65_535

/** The text of a statement, and its parameters. */
class Text {
  text = ''
  readonly parameters: (string | null)[] = []

  constructor(statement: Fragment) {
    statement.write(this)
  }

  /** `after` is the text that follows: it may say the type of the parameter. */
  addParameter(value: Parameter, after = ''): void {
    const { text, type } = writeParameter(value)
    this.parameters.push(text)
    this.text += `$${this.parameters.length}`
    if (type !== undefined && !after.startsWith('::')) this.text += `::${type}`
  }
}

/** Text that stands in a statement. */
export class Fragment {
  /** The parts of a literal: one object for each place in the source. Or a text put together. */
  readonly source: TemplateStringsArray | string
  readonly values: readonly Value[]

  constructor(source: TemplateStringsArray | string, values: readonly Value[]) {
    this.source = source
    this.values = values
  }

  write(into: Text): void {
    if (typeof this.source === 'string') {
      if (this.values.length > 0) throw new Error('a text with parameters within a statement')
      into.text += this.source
      return
    }
    for (const [at, part] of this.source.entries()) {
      into.text += part
      if (at === this.values.length) return
      const value = this.values[at]
      if (value instanceof Fragment || value instanceof Names) value.write(into)
      else into.addParameter(value as Parameter, this.source[at + 1])
    }
  }
}

/**
 * A statement, sent once somebody awaits it or calls `execute`. A promise of its rows.
 * @throws a TypeError in place of its rows when a value is undefined, or cannot be sent
 */
export class Statement<T extends readonly unknown[] = Row[]>
  extends Fragment
  implements Promise<Rows<T>>
{
  readonly [Symbol.toStringTag] = 'Statement'
  readonly #send: Send
  #prepare: boolean
  #rows: Promise<Rows<T>> | undefined

  constructor(
    send: Send,
    source: TemplateStringsArray | string,
    values: readonly Value[],
    prepare: boolean,
  ) {
    super(source, values)
    this.#send = send
    this.#prepare = prepare
    if (typeof source !== 'string' && !origins.has(source)) origins.set(source, new Error('made'))
  }

  /** The stack of the place in the source that made it; '' of a text put together. */
  get origin(): string {
    const made = typeof this.source === 'string' ? undefined : origins.get(this.source)
    return made?.stack?.replace(/^Error: made\n(?:.*\/db\/sql\.ts.*\n)*/, '') ?? ''
  }

  /** Sends it. */
  execute(): Promise<Rows<T>> {
    if (this.#rows === undefined) {
      this.#rows = this.#sendOnce() as Promise<unknown> as Promise<Rows<T>>
      // A statement of a transaction may be awaited by nobody: the transaction fails with it.
      this.#rows.catch(() => {})
    }
    return this.#rows
  }

  // biome-ignore lint/suspicious/noThenProperty: a statement is awaited
  then<A = Rows<T>, B = never>(
    onDone?: ((rows: Rows<T>) => A | PromiseLike<A>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as of every promise
    onError?: ((error: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.execute().then(onDone, onError)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as of every promise
  catch<B = never>(onError?: ((error: any) => B | PromiseLike<B>) | null) {
    return this.execute().catch(onError)
  }

  finally(onEnd?: (() => void) | null): Promise<Rows<T>> {
    return this.execute().finally(onEnd)
  }

  /**
   * The same statement, which its connection does not keep prepared: it is planned each time. The
   * memory of a prepared statement is held until the connection ends.
   */
  unprepared(): this {
    this.#prepare = false
    return this
  }

  async #sendOnce(): Promise<Rows> {
    let text = ''
    const write = () => {
      const sent = this.written()
      text = sent.text
      return sent
    }
    try {
      return await published(() => text, this.#send(write))
    } catch (error) {
      // The stack of an answer is that of the socket. A lost connection has one error for all.
      if (error instanceof PostgresError && this.origin !== '') error.stack += `\n${this.origin}`
      throw error
    }
  }

  /** Its text, with $1 and so on, and its parameters. */
  written(): Sent {
    const { text, parameters } =
      typeof this.source === 'string'
        ? {
            text: this.source,
            parameters: this.values.map(one => writeParameter(one as Parameter).text),
          }
        : new Text(this)
    if (parameters.length > MAX_PARAMETERS) throw new Error('too many parameters')
    return { text, parameters, prepare: this.#prepare }
  }
}

/** Makes a tag whose statements go by `send`. */
export function makeTag(send: Send): Tag {
  const tag = (
    first: TemplateStringsArray | string | readonly string[] | object,
    ...rest: unknown[]
  ) => {
    if (isTemplate(first)) return new Statement(send, first, rest as Value[], true)
    if (typeof first === 'string') return new Names([first])
    if (Array.isArray(first)) return new Names(first as string[])
    const [columns = Object.keys(first)] = rest as [string[]?]
    return new Names(
      columns,
      columns.map(name => (first as Row)[name]),
    )
  }
  const unsafe: Tag['unsafe'] = (text, parameters = [], { prepare = false } = {}) =>
    new Statement(send, text, parameters, prepare)
  return Object.assign(tag, { unsafe }) as Tag
}

/** Makes fragments, which no connection has to send. */
export const sql: Tag = makeTag(() => Promise.reject(new Error('nobody sends a fragment')))

function isTemplate(value: object | string): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value
}
