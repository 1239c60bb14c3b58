// An action is a verb of people, described once. HTTP makes a route of it. The command line makes a
// command, which needs no service.
import type { Static, TSchema, TUnsafe } from 'typebox'
import type { Config } from '../config/config.ts'
import type { Operation } from '../engine/operation.ts'
import type { RouteDocs } from '../http/route.ts'
import type { HistoricRow } from '../ledger/audit/store.ts'
import type { Book } from '../ledger/rules.ts'
import type { PricingAt } from '../prices/price.ts'
import type { Sql } from '../sql/connect.ts'
import type { Page } from '../sql/page.ts'
import type { LongOperatorWrite, Operator, OperatorWrite } from './operator-write.ts'

interface OfAccount {
  readonly account_id: string
}

interface WithBooks {
  readonly books: ReadonlyMap<string, Book>
}

/** `Shown` is as in `Acting`. */
export interface OperatorWrites<Shown> {
  /** Runs a write on rows of an account; shows what `present` makes of its outcome. */
  write<C extends OfAccount, S extends WithBooks, O>(
    write: OperatorWrite<C, S, O>,
    present: Presents<O>,
  ): Promise<Shown>
  /** Like `write`, for a write that is too large for one decision. */
  longWrite<C extends OfAccount, S extends WithBooks, O, P>(
    write: LongOperatorWrite<C, S, O, P>,
    present: Presents<O>,
  ): Promise<Shown>
}

/** `Shown`: the answer that the API keeps for a repeat, or the object that a command prints. */
export interface Acting<Shown> extends OperatorWrites<Shown> {
  readonly operator: Operator
  /** Reads the rows of all accounts, and cannot change them. */
  readonly audit: Sql
  /** The kept answer of an earlier call with the same Idempotency-Key; null for a first call. */
  kept(): Promise<Shown | null>
  /** The same of a call that writes rows of this live account. */
  keptOf(account_id: string): Promise<Shown | null>
  /** Changes reference data in one transaction; shows what `work` returns. */
  change(work: (sql: Sql) => Promise<object>): Promise<Shown>
  /** Like `change`, but shows and keeps nothing when `work` returns null: nothing to change. */
  changeIfAny(work: (sql: Sql) => Promise<object | null>): Promise<Shown | null>
  run<C, S, O>(write: OperatorWrite<C, S, O>): Promise<O>
  /** Shows what a write has done, where no repeat gets the answer again. */
  show(answer: object): Shown
  /** Runs an operation on rows of no account; shows what `present` makes of its outcome. */
  runShown<C, S extends WithBooks, O>(
    operation: Operation<C, S, O>,
    command: C,
    present: (outcome: O) => object,
  ): Promise<Shown>
  /** The prices of a version of the reference data; null is the newest. */
  pricing(version: bigint | null): Promise<PricingAt>
  /** Refuses (403) a session that has not given its password lately. */
  askPassword(): void
  /** Refuses (403) this user as the caller of the API: nobody changes their own rights there. */
  askOther(user: string): void
  /** The scheme, host and port by which people reach the service. */
  origin(): string
  /** Says more to the reader of a command than the answer has. */
  say(words: string): void
  /** Warns the person who runs a command. */
  warn(words: string): void
}

/** Makes the API's answer of an outcome; and what a command shows, where that is something else. */
export interface Presents<Outcome> {
  readonly answer: (outcome: Outcome) => object
  readonly inCommand?: (outcome: Outcome) => object
  /** Members that, added to a command, keep its repeat from doing it twice. */
  readonly once?: Readonly<Record<string, string>>
}

type Rows = readonly Readonly<Record<string, string>>[]

/** Lines of words; the rows of a table; or the members of an object that are set, one a line. */
export type Part =
  | string
  | { readonly rows: Rows; readonly none?: string }
  | { readonly outline: object }

export interface InCommand<Answer> {
  /** In words, rows, parts, or to the byte. `said` is what the action has said. */
  words(
    answer: Answer,
    said: string,
  ):
    | string
    | Rows
    | { readonly head?: string; readonly rows: Rows; readonly tail?: string }
    | { readonly parts: readonly Part[] }
    | { readonly exact: string }
  /** What --json prints, where it is not the answer. */
  json?(answer: Answer): unknown
  /** What comes first, on a database that no service may have opened yet. */
  prepare?(sql: Sql, config: Config): Promise<void>
  /** What the path names, where that is no object of the group: `payout`. */
  readonly subject?: string
  /** The command that shows what there is, where that is not the list of the group. */
  readonly listed?: string
  /** The members of the options, where they are not those of the route. */
  readonly members?: TSchema
  /** The members that are arguments of the command and no options, in order. */
  readonly arguments?: readonly string[]
  /** Text of the help behind the options; with an example. */
  readonly help: string
  /** What the table says without rows; it may depend on the members of the query. */
  readonly none?: string | ((input: Readonly<Record<string, unknown>>) => string)
  /** How many objects of a page it shows without --limit, where they are not 20. */
  readonly limit?: number
  /** The meaning of members as options, where their description in the schema is not enough. */
  readonly options?: Readonly<Record<string, string>>
}

interface Described {
  /** The words of the command, which name the act in the audit log too: `limit set` or `fund`. */
  readonly name: string
  readonly path: string
  readonly operationId: string
  /** One sentence, for openapi.json and the help of the command. */
  readonly summary: string
  readonly description?: string
  readonly params?: TSchema
  readonly response: TSchema
  /** The refusals besides 404 for a path with parameters. */
  readonly refusals?: RouteDocs['refusals']
}

/** An action that only reads. `input` has the members of the query and the path. */
export interface Reading<Input = unknown, Found = unknown> extends Described {
  readonly kind: 'read'
  readonly query?: TSchema
  /** Whether the answer is a whole list; `response` is then the schema of one of its objects. */
  readonly list?: true | { readonly title: string; readonly description: string }
  find(audit: Sql, input: Input): Promise<Found>
  /** Makes the answer of what was found, where that is something else. */
  present?(found: Found): unknown
  /** Undefined for an action that only the API has. */
  readonly command?: InCommand<Found>
}

/** A list, page by page; `response` is the schema of one object. A command reads one long page. */
export interface Paging<Input = unknown, Row = unknown>
  extends Omit<Described, 'params' | 'refusals'> {
  readonly kind: 'page'
  /** Has `limit`, and the member that continues the list. */
  readonly query: TSchema
  /** The page; or its rows with one more, which tells whether there are more. */
  find(audit: Sql, input: Input, limit: number): Promise<readonly Row[] | Page<Row>>
  present(row: Row): object
  readonly command?: InCommand<Page<Row>>
}

/** An action that writes. `input` has the members of the body and the path. */
export interface Writing<Input = unknown, Answer = unknown> extends Described {
  readonly kind: 'write'
  readonly method?: 'PATCH'
  readonly body?: TSchema
  /** The title of the schema of an empty body. */
  readonly emptyBody?: string
  /** Whether a command refuses a log-in, which several people may share. */
  readonly byPerson?: true
  /** Whether a session must have given its password lately. */
  readonly asksPassword?: true
  /** Whether the API takes it from sessions alone: a key gives no password. */
  readonly ofSession?: true
  /** The most bytes of the body of a request, where an ordinary body is too short. */
  readonly maxBytes?: number
  /** Whether a repeat acts again, since no answer is kept. */
  readonly actsAgain?: true
  /** The act in the audit log, where it depends on the body. */
  act?(input: Input): string
  run<Shown>(acting: Acting<Shown>, input: Input): Promise<Shown>
  readonly command?: InCommand<Answer>
}

/** Any action. Its input is what its own schemas have let through. */
export type Action = Reading | Paging | Writing

/** The actions on one kind of object; the first word of their names is the name of the group. */
export interface ActionGroup {
  readonly actions: readonly Action[]
  /** What `history` lists: who changed rows of the table, and how. */
  readonly history?: History
}

export interface History {
  readonly table_name: string
  /** Such as `list what changed in the rate book`. */
  readonly description: string
  /** An argument that narrows the list, such as `[pair]`, and the row values that it names. */
  readonly argument?: {
    readonly name: string
    readonly meaning: string
    readonly read: (text: string) => HistoricRow
  }
  /** A row in a few words, without its subject. */
  readonly describe: (row: HistoricRow) => string
  /** The name of a row, such as `EUR/USD`. */
  readonly subject: (row: HistoricRow) => string
  readonly example: string
}

export function pageOf<Row>(found: readonly Row[] | Page<Row>, limit: number): Page<Row> {
  if ('rows' in found) return found
  return { rows: found.slice(0, limit), has_more: found.length > limit }
}

type None = TUnsafe<unknown>
type Input<Members extends TSchema, Params extends TSchema> = Static<Members> & Static<Params>

export function reading<Found, Query extends TSchema = None, Params extends TSchema = None>(
  action: Omit<Reading<Input<Query, Params>, Found>, 'kind'> & {
    readonly query?: Query
    readonly params?: Params
  },
): Reading<Input<Query, Params>, Found> {
  return { kind: 'read', ...action }
}

export function paging<Row, Query extends TSchema>(
  action: Omit<Paging<Static<Query>, Row>, 'kind'> & { readonly query: Query },
): Paging<Static<Query>, Row> {
  return { kind: 'page', ...action }
}

/** `Told` is what its command shows: by default the answer. */
export function writing<
  Response extends TSchema,
  Body extends TSchema = None,
  Params extends TSchema = None,
  Told = Static<Response>,
>(
  action: Omit<Writing<Input<Body, Params>, Told>, 'kind'> & {
    readonly body?: Body
    readonly params?: Params
    readonly response: Response
  },
): Writing<Input<Body, Params>, Told> {
  return { kind: 'write', ...action }
}
