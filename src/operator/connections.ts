// Runs what operators and approvers do by the API, on connections of its own. Each transaction
// names the person, for itself alone.
import type { FastifyRequest } from 'fastify'
import { Lane } from '../engine/lane.ts'
import type { Operation } from '../engine/operation.ts'
import { claimOf, success } from '../http/answer.ts'
import { callerOf } from '../http/author.ts'
import { answeredOnce, findKeptAnswer, operatedOnce } from '../http/idempotency/installation.ts'
import type { Claim, Claiming, Reply } from '../http/idempotency/kept-reply.ts'
import { idempotent, idempotentLong } from '../http/idempotency/operations.ts'
import { recordedLong } from '../ledger/audit/recorded.ts'
import { type Author, writeAs } from '../ledger/audit/store.ts'
import type { Book } from '../ledger/rules.ts'
import { connect, type Sql, type TransactionSql } from '../sql/connect.ts'
import { classify } from '../sql/failure.ts'
import type { Work } from '../sql/transact.ts'
import { Refusal, refusal } from '../values/errors.ts'
import {
  audited,
  type LongOperatorWrite,
  type Operator,
  type OperatorWrite,
} from './operator-write.ts'

/** A call by a person. A repeat of the claim gets the first answer again; null keeps no answer. */
export interface Call {
  readonly author: Author
  readonly claim: Claim | null
}

export interface NeedsOperators {
  readonly operators: OperatorConnections
}

/** The connections for reads, and as many for writes: an installation has few operators. */
const MOST_CONNECTIONS = 2

interface Needs {
  /** Reads the rows of all accounts. */
  readonly audit: Sql
  readonly sql: Sql
  /** Called after reference data has changed. */
  refresh(): Promise<void>
}

export class OperatorConnections {
  readonly audit: Sql
  readonly sql: Sql
  readonly #refresh: () => Promise<void>

  constructor({ audit, sql, refresh }: Needs) {
    this.audit = audit
    this.sql = sql
    this.#refresh = refresh
  }

  /** Runs a write in the author's name. Keeps no answer, so a repeat acts again. */
  async run<C, S, O>(author: Author, write: OperatorWrite<C, S, O>): Promise<O> {
    const lane = new Lane(this.sql, asAuthor(author, audited(write)), ONE_COMMAND)
    const outcome = await lane.run(write.command)
    await this.#refresh()
    return outcome
  }

  /** Like `run`, for rows of an account: a repeat of the claim gets the first answer again. */
  async answer<C extends { readonly account_id: string }, S extends WithBooks, O>(
    { author, claim }: Call,
    write: OperatorWrite<C, S, O>,
    present: (outcome: O) => object,
  ): Promise<Reply> {
    const answer = (outcome: O) => success(present(outcome))
    const acting = whileFrozen(audited(write))
    const operation = asAuthor(author, idempotent<C & Claiming, S, O, unknown>(acting, { answer }))
    const lane = new Lane(this.sql, operation, ONE_COMMAND)
    const { reply } = await lane.run({ ...write.command, claim })
    return reply
  }

  /** The answer that `answer` has kept for the claim of a live account; null for none. */
  async keptAnswer({ claim }: Call, account_id: string): Promise<Reply | null> {
    return claim === null ? null : this.sql.begin(tx => findKeptAnswer(tx, account_id, claim))
  }

  /** Like `answer`, for a write that is too large for one decision. */
  async answerLong<C extends { readonly account_id: string }, S extends WithBooks, O, P>(
    { author, claim }: Call,
    { operation, command, act }: LongOperatorWrite<C, S, O, P>,
    present: (outcome: O) => object,
  ): Promise<Reply> {
    const answer = (outcome: O) => success(present(outcome))
    const recorded = whileFrozen(recordedLong(operation, act))
    const asCaller = asAuthor(author, idempotentLong<C & Claiming, S, O, P>(recorded, { answer }))
    const lane = new Lane(this.sql, asCaller, LONG)
    const { reply } = await lane.run({ ...command, claim })
    return reply
  }

  /** Changes reference data in one transaction, which holds its locks until `work` resolves. */
  async change<T>(author: Author, work: (sql: Sql) => Promise<T>): Promise<T> {
    const changed = await this.sql
      .begin(tx => {
        void writeAs(tx, author)
        return work(joining(tx))
      })
      .catch(refuseUnavailable)
    await this.#refresh()
    return changed
  }

  /** Like `change`, for rows of no account. `work` returns what the answer shows. */
  async changeOnce(call: Call, work: (sql: Sql) => Promise<object>): Promise<Reply> {
    return (await this.changeOnceOrNull(call, work)) as Reply
  }

  /** Like `changeOnce`, but keeps no answer when `work` returns null. */
  async changeOnceOrNull({ author, claim }: Call, work: (sql: Sql) => Promise<object | null>) {
    return this.change(author, sql => {
      const make = async () => {
        const shown = await work(sql)
        return shown && success(shown)
      }
      return claim === null ? make() : answeredOnce(sql as unknown as TransactionSql, claim, make)
    })
  }

  /** Like `run`, for rows of no account. */
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

export function openOperatorConnections(
  url: string,
  refresh: () => Promise<void>,
): OperatorConnections {
  const open = (as: 'auditor' | 'service') =>
    connect(url, { max: MOST_CONNECTIONS, as, timed: true })
  return new OperatorConnections({ audit: open('auditor'), sql: open('service'), refresh })
}

const ONE_COMMAND = { max_batch: 1 }
/** A long write may wait for other long writes of the account. */
const LONG = { max_batch: 1, max_wait_ms: 30_000 }

interface WithBooks {
  readonly books: ReadonlyMap<string, Book>
}

/** The operation, whose transactions name the author to the audit log. */
function asAuthor<Of extends Pick<Operation<never, unknown, unknown, never>, 'load'>>(
  author: Author,
  operation: Of,
): Of {
  const load: Of['load'] = (tx, commands, prepared) => {
    void writeAs(tx, author)
    return operation.load(tx, commands, prepared)
  }
  return { ...operation, load }
}

/** The operation, on frozen accounts too: operators may write to them where the rules allow it. */
const whileFrozen = <O extends object>(operation: O) => ({
  ...operation,
  while_frozen: true as const,
})

/** A connection whose `begin` joins this transaction, which commits later, and begins none. */
function joining(tx: TransactionSql): Sql {
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

/** A database that is away, in contention or silent at the COMMIT becomes a refusal (503). */
function refuseUnavailable(error: unknown): never {
  if (error instanceof Refusal) throw error
  if (classify(error) === 'fault') throw error
  const answer = refusal(
    'service_unavailable',
    'The database does not confirm it: look whether it was done before you do it again.',
  )
  answer.cause = error
  throw answer
}

export function operatorOf({ person }: FastifyRequest): Operator {
  if (person === null) throw new Error('a route of the operator API without its person')
  return { name: person.user, is_login: false }
}

export function authorOf(request: FastifyRequest, act: string): Author {
  return callerOf(request, operatorOf(request).name, act)
}

/** The call of a person. The same Idempotency-Key of another person is another claim. */
export function callOf(request: FastifyRequest, act: string): Call {
  const params = request.params as Readonly<Record<string, string>>
  const path = request.routeOptions.url?.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
  const operation = `${request.method} ${path} by ${operatorOf(request).name}`
  return { author: authorOf(request, act), claim: claimOf(request, operation) }
}

/** Keeps no answer, such as one with a secret: a repeat acts again. */
export function callWithoutClaim(request: FastifyRequest, act: string): Call {
  return { author: authorOf(request, act), claim: null }
}
