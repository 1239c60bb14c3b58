// Statements as tagged templates: sql`select ${id}` makes a statement that sends its values apart
// from its text, as $1 and so on. A statement within another one is a fragment: its text is put in
// place. Does not know connections: the caller of makeTag passes how to send a statement.
import { PostgresError } from './failure.ts'
import { publishStatement } from './statements.ts'
import { castOf, type Parameter, writeParameter } from './values.ts'

/** A row whose columns the caller does not state. */
// biome-ignore lint/suspicious/noExplicitAny: a column may be of any type
export type Row = Record<string, any>

/** The rows that a statement returned. */
export type Rows<T extends readonly unknown[] = Row[]> = T & {
  /** How many rows it returned or changed. */
  readonly count: number
  /** The command that the server ran, such as `SELECT`. It may answer a COMMIT with `ROLLBACK`. */
  readonly command: string
}

/**
 * The place of each template literal in the source: the stack when it made its first statement.
 * Literals live as long as the program, so a map that holds them loses nothing and is read faster.
 */
const origins = new Map<TemplateStringsArray, Error>()

/** A statement as it goes to the server. */
export interface Sent {
  readonly text: string
  readonly parameters: readonly (string | null)[]
  /** Whether the connection keeps it prepared: it is then planned once, not each time. */
  readonly prepare: boolean
  /** A BEGIN: the statements behind its group wait for its answer. */
  readonly opens?: boolean
  /** A ROLLBACK: the server would skip it behind a statement that fails. */
  readonly leads?: boolean
}

/** A command without parameters. */
export const command = (text: string, how: Pick<Sent, 'opens' | 'leads'> = {}): Sent => {
  return { text, parameters: [], prepare: true, ...how }
}

/** A statement that is not written yet. */
export interface Unwritten {
  /** @throws TypeError when a value cannot be sent */
  written(): Sent
}

export type Send = (statement: Unwritten) => Promise<Rows>

/** A value that a template may contain. */
type Value = Parameter | Fragment | Names

/** Makes statements, for a pool or one transaction. */
export interface Tag {
  <T extends readonly unknown[] = Row[]>(
    text: TemplateStringsArray,
    ...values: readonly Value[]
  ): Statement<T>
  /** Names of columns or tables, quoted; `a.b` names column b of table a. */
  (names: string | readonly string[]): Names
  /** These members of a row, or all, as `(columns) values (...)` of an insert. */
  <R extends object>(row: R, columns?: readonly (keyof R & string)[]): Names
  /** A statement whose text the caller has composed. The text must hold nothing of a request. */
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

  write(into: Writing): void {
    const { names, values } = this
    if (values !== undefined) into.add('(')
    for (let at = 0; at < names.length; at++) {
      if (at > 0) into.add(',')
      into.add(quoteName(names[at] as string))
    }
    if (values === undefined) return
    into.add(')values(')
    for (let at = 0; at < values.length; at++) {
      if (at > 0) into.add(',')
      into.addParameter(values[at] as Parameter)
    }
    into.add(')')
  }
}

/** The names of this program's tables and columns, each with its quoted form. */
const quoted = new Map<string, string>()

function quoteName(name: string): string {
  const known = quoted.get(name)
  if (known !== undefined) return known
  const made = `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`
  quoted.set(name, made)
  return made
}

/** The protocol counts parameters in 16 bits. */
const MAX_PARAMETERS = 65_535
const tooMany = () => new Error('too many parameters')

/**
 * The text of a statement up to some part of it. The program writes the same statements again and
 * again, so it finds their texts part by part, and makes none of them anew.
 */
class Beginning {
  readonly text: string
  readonly #longer = new Map<string, Beginning>()

  constructor(text: string) {
    this.text = text
  }

  and(part: string): Beginning {
    const known = this.#longer.get(part)
    if (known !== undefined) return known
    const longer = new Beginning(this.text + part)
    this.#longer.set(part, longer)
    known_bytes += BYTES_OF_BEGINNING + longer.text.length
    return longer
  }
}

/** What a Beginning takes besides its text. */
const BYTES_OF_BEGINNING = 300
/** Far more than the program's own statements take. Statements composed of data could be many. */
const MOST_BYTES = 16_000_000

let known_bytes = 0
let nothing = new Beginning('')

/** The empty text, with which each statement begins. Forgets all others when they are too many. */
function emptyText(): Beginning {
  if (known_bytes > MOST_BYTES) {
    known_bytes = 0
    nothing = new Beginning('')
  }
  return nothing
}

/** `$1` and so on. */
const PLACEHOLDERS: string[] = []

class Writing {
  readonly parameters: (string | null)[] = []
  #text = emptyText()

  get text(): string {
    return this.#text.text
  }

  add(part: string): void {
    this.#text = this.#text.and(part)
  }

  /** `after` is the text that follows: it may say the type of the parameter. */
  addParameter(value: Parameter, after = ''): void {
    this.parameters.push(writeParameter(value))
    const n = this.parameters.length
    if (n > MAX_PARAMETERS) throw tooMany()
    PLACEHOLDERS[n] ??= `$${n}`
    this.add(PLACEHOLDERS[n])
    const cast = castOf(value)
    if (cast !== '' && !after.startsWith('::')) this.add(cast)
  }
}

/** A part of a statement. */
export class Fragment {
  /** A template literal's parts, one object for each place in the source; or a composed text. */
  readonly source: TemplateStringsArray | string
  readonly values: readonly Value[]

  constructor(source: TemplateStringsArray | string, values: readonly Value[]) {
    this.source = source
    this.values = values
  }

  write(into: Writing): void {
    const { source, values } = this
    if (typeof source === 'string') {
      if (values.length > 0) throw new Error('a text with parameters within a statement')
      into.add(source)
      return
    }
    for (let at = 0; at < values.length; at++) {
      into.add(source[at] as string)
      const value = values[at]
      if (value instanceof Fragment || value instanceof Names) value.write(into)
      else into.addParameter(value as Parameter, source[at + 1])
    }
    into.add(source[values.length] as string)
  }
}

/**
 * A statement, and a promise of its rows. It is sent when a caller awaits it or calls `execute`.
 * @throws TypeError in place of its rows when a value is undefined or cannot be sent
 */
export class Statement<T extends readonly unknown[] = Row[]>
  extends Fragment
  implements Promise<Rows<T>>
{
  readonly [Symbol.toStringTag] = 'Statement'
  readonly #send: Send
  #prepare: boolean
  #text = ''
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

  /** The stack of the place in the source that made it; '' for a composed text. */
  get origin(): string {
    const made = typeof this.source === 'string' ? undefined : origins.get(this.source)
    return made?.stack?.replace(/^Error: made\n(?:.*\/sql\/sql\.ts.*\n)*/, '') ?? ''
  }

  execute(): Promise<Rows<T>> {
    if (this.#rows === undefined) {
      const sent = publishStatement(() => this.#text, this.#send(this))
      this.#rows = sent as Promise<unknown> as Promise<Rows<T>>
      // A caller need not await a transaction's statement: the transaction fails with it.
      this.#rows.catch(error => this.#addOrigin(error))
    }
    return this.#rows
  }

  /** The server's error has the stack of the socket. All statements share a lost connection's. */
  #addOrigin(error: unknown): void {
    if (error instanceof PostgresError && this.origin !== '') error.stack += `\n${this.origin}`
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
   * The same statement, but its connection does not keep it prepared: the server plans it each
   * time. A prepared statement takes memory until the connection ends.
   */
  unprepared(): this {
    this.#prepare = false
    return this
  }

  written(): Sent {
    const { text, parameters } =
      typeof this.source === 'string'
        ? {
            text: this.source,
            parameters: (this.values as readonly Parameter[]).map(writeParameter),
          }
        : this.#write()
    if (parameters.length > MAX_PARAMETERS) throw tooMany()
    this.#text = text
    return { text, parameters, prepare: this.#prepare }
  }

  #write(): Writing {
    const writing = new Writing()
    this.write(writing)
    return writing
  }
}

/** Makes a tag whose statements are sent by `send`. */
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

/** Makes fragments, which are parts of statements and are never sent. */
export const sql: Tag = makeTag(() => Promise.reject(new Error('nobody sends a fragment')))

function isTemplate(value: object | string): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value
}
