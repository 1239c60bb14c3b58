// Where the service runs what people do by the operator API: on connections of its own, each
// transaction under the person's name. The name is a setting of the transaction and ends with it,
// so the next transaction of the connection has none.
import type { FastifyRequest } from 'fastify'
import { recordedLong } from '../audit/recorded.ts'
import { type Author, writeAs } from '../audit/store.ts'
import { connect, type Sql, type TransactionSql } from '../db/connect.ts'
import { classify } from '../db/failure.ts'
import type { Work } from '../db/transact.ts'
import { Lane } from '../engine/lane.ts'
import type { LongOperation, Operation } from '../engine/operation.ts'
import { Refusal, refusal } from '../errors.ts'
import { claimOf, success } from '../http/answer.ts'
import { answeredOnce, operatedOnce } from '../http/idempotency/installation.ts'
import type { Claim, Reply } from '../http/idempotency/kept-reply.ts'
import { idempotent, idempotentLong } from '../http/idempotency/operations.ts'
import type { Book } from '../ledger/rules.ts'
import { audited, type Deed, type LongDeed, type Operator } from './deed.ts'
import { refuseInMembers } from './words.ts'

/** A call by a person. A repeat of its claim gets the first answer again. */
export interface Call {
  readonly author: Author
  readonly claim: Claim | null
}

/** What routes of operators need. */
export interface OfDesk {
  readonly desk: Desk
}

/** How many connections are for reads, and how many for writes: operators are few. */
const DESK_CONNECTIONS = 2

interface Needs {
  /** Reads the rows of all accounts, and cannot change them. */
  readonly audit: Sql
  /** Has the service's role. */
  readonly sql: Sql
  /** Called after reference data has changed. */
  refresh(): Promise<void>
}

export class Desk {
  readonly audit: Sql
  readonly sql: Sql
  readonly #refresh: () => Promise<void>

  constructor({ audit, sql, refresh }: Needs) {
    this.audit = audit
    this.sql = sql
    this.#refresh = refresh
  }

  /** Runs what a person does, without keeping an answer. */
  async run<C, S, O>(author: Author, deed: Deed<C, S, O>): Promise<O> {
    const lane = new Lane(this.sql, inNameOf(author, audited(deed)), SINGLY)
    const outcome = await lane.run(deed.command).catch(refuseInMembers)
    await this.#refresh()
    return outcome
  }

  /** Like `run`, for rows of an account: a repeat of the claim gets the first answer again. */
  async answer<C extends { readonly account_id: string }, S extends WithBooks, O>(
    { author, claim }: Call,
    deed: Deed<C, S, O>,
    present: (outcome: O) => object,
  ): Promise<Reply> {
    const named = inNameOf(author, idempotent(answered(audited(deed), present)))
    const lane = new Lane(this.sql, named, SINGLY)
    const { reply } = await lane.run({ ...deed.command, claim }).catch(refuseInMembers)
    return reply
  }

  /** Like `answer`, for a deed that is too large to decide in one go. */
  async answerLong<C extends { readonly account_id: string }, S extends WithBooks, O, P>(
    { author, claim }: Call,
    { operation, command, act }: LongDeed<C, S, O, P>,
    present: (outcome: O) => object,
  ): Promise<Reply> {
    const answering = answeredLong(recordedLong(operation, act), present)
    const named = inNameOf(author, idempotentLong(answering))
    const lane = new Lane(this.sql, named, LONG)
    const { reply } = await lane.run({ ...command, claim }).catch(refuseInMembers)
    return reply
  }

  /** Changes reference data in one transaction, which holds its locks until `work` resolves. */
  async change<T>(author: Author, work: (sql: Sql) => Promise<T>): Promise<T> {
    const changed = await this.sql
      .begin(tx => {
        void writeAs(tx, author)
        return work(withinOne(tx))
      })
      .catch(refuseUnavailable)
    await this.#refresh()
    return changed
  }

  /**
   * Like `change`, for rows of no account: a repeat of the claim gets the first answer again.
   * `work` returns what the answer shows.
   */
  async changeOnce(call: Call, work: (sql: Sql) => Promise<object>): Promise<Reply> {
    return (await this.changeAnyOnce(call, work)) as Reply
  }

  /**
   * Like `changeOnce`. If `work` had nothing to change, it returns null, which is no answer and is
   * not kept.
   */
  async changeAnyOnce(
    { author, claim }: Call,
    work: (sql: Sql) => Promise<object | null>,
  ): Promise<Reply | null> {
    return this.change(author, sql => {
      const make = async () => {
        const shown = await work(sql)
        return shown && success(shown)
      }
      return claim === null ? make() : answeredOnce(sql as unknown as TransactionSql, claim, make)
    })
  }

  /** Like `run`, for rows of no account: a repeat of the claim gets the first answer again. */
  async runOnce<C, S extends WithBooks, O>(
    { author, claim }: Call,
    operation: Operation<C, S, O>,
    command: C,
    present: (outcome: O) => object,
  ): Promise<Reply> {
    const once = operatedOnce(operation, claim, outcome => success(present(outcome)))
    const { reply } = await this.run(author, { operation: once, command, act: null })
    return reply
  }
}

/** Opens a desk on connections of its own. The caller closes it. */
export function openDesk(url: string, refresh: () => Promise<void>): Desk {
  const open = (as: 'auditor' | 'service') =>
    connect(url, { max: DESK_CONNECTIONS, as, timed: true })
  return new Desk({ audit: open('auditor'), sql: open('service'), refresh })
}

const SINGLY = { max_batch: 1 }
/** A long write may wait for other long writes of the account. */
const LONG = { max_batch: 1, max_wait_ms: 30_000 }

interface WithBooks {
  readonly books: ReadonlyMap<string, Book>
}

/** The operation; in its transactions the audit log names the author. */
function inNameOf<Of extends Pick<Operation<never, unknown, unknown, never>, 'load'>>(
  author: Author,
  operation: Of,
): Of {
  const load: Of['load'] = (tx, commands, prepared) => {
    void writeAs(tx, author)
    return operation.load(tx, commands, prepared)
  }
  return { ...operation, load }
}

/**
 * The operation with its answer. Operators may write to frozen accounts, as far as the rules allow
 * it.
 */
function answered<C extends { readonly account_id: string }, S, O>(
  operation: Operation<C, S, O>,
  present: (outcome: O) => object,
): Operation<C & { readonly claim: Claim | null }, S, { outcome: O; reply: Reply }> {
  return {
    ...operation,
    while_frozen: true,
    decide(state, command) {
      const outcome = operation.decide(state, command)
      return { outcome, reply: success(present(outcome)) }
    },
    store: (tx, made, state) =>
      operation.store(
        tx,
        made.map(({ outcome }) => outcome),
        state,
      ),
  }
}

/** Like answered, for an operation of long commands. */
function answeredLong<C extends { readonly account_id: string }, S, O, P>(
  operation: LongOperation<C, S, O, P>,
  present: (outcome: O) => object,
): LongOperation<C & { readonly claim: Claim | null }, S, { outcome: O; reply: Reply }, P> {
  const made = (outcome: O) => ({ outcome, reply: success(present(outcome)) })
  return {
    ...operation,
    while_frozen: true,
    async settle(tx, state, command, answered) {
      return made(await operation.settle(tx, state, command, one => answered(made(one))))
    },
  }
}

/** Makes code that begins a transaction of its own take part in this one, which commits later. */
function withinOne(tx: TransactionSql): Sql {
  const begin = (...parameters: readonly unknown[]) => {
    const [mode, work] = parameters.length === 1 ? ['', ...parameters] : parameters
    const commit = () => Promise.reject(new Error('a COMMIT within another transaction'))
    if (mode === '') return (work as Work<unknown>)(tx, commit)
    throw new Error(`a transaction ${mode} within another`)
  }
  return new Proxy(tx, {
    get: (target, name, receiver) =>
      name === 'begin' ? begin : Reflect.get(target, name, receiver),
  }) as unknown as Sql
}

function refuseUnavailable(error: unknown): never {
  if (error instanceof Refusal) refuseInMembers(error)
  if (classify(error) === 'fault') throw error
  const answer = refusal(
    'service_unavailable',
    'The database does not confirm it: look whether it was done before you do it again.',
  )
  answer.cause = error
  throw answer
}

/** Who calls. A session or a key belongs to one person, so the name is no log-in. */
export function operatorOf({ person }: FastifyRequest): Operator {
  if (person === null) throw new Error('a route of the operator API without its person')
  return { name: person.user, is_login: false }
}

/** The person who calls, as the audit log names them; `act` is in the words of the command. */
export function authorOf(request: FastifyRequest, act: string): Author {
  return { operator: operatorOf(request).name, act, via: `api from ${request.ip}` }
}

/** The call of a person. The same key from another person is another claim. */
export function callOf(request: FastifyRequest, act: string): Call {
  const params = request.params as Readonly<Record<string, string>>
  const path = request.routeOptions.url?.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
  const operation = `${request.method} ${path} by ${operatorOf(request).name}`
  return { author: authorOf(request, act), claim: claimOf(request, operation) }
}

/**
 * The call of a person whose answer is not kept, such as one with a secret: a repeat acts again.
 */
export function callAnew(request: FastifyRequest, act: string): Call {
  return { author: authorOf(request, act), claim: null }
}
