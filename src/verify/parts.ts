// Runs the parts of a verification: those that compare rows in TypeScript on one session, and those
// that PostgreSQL judges alone on another one, at the same time. Problems come in the order of the
// parts, whatever ends first.
import type { TransactionSql } from '../sql/connect.ts'
import { EnoughProblems, Findings, unreadable } from './problem.ts'
import type { Verification } from './rows.ts'

/** The outcome of a part: its result, null if it could not end, and what it has found. */
interface Ended<T> {
  readonly result: T | null
  readonly found: Findings
}

/** Begins a part. The promise never counts as unhandled. */
type Begin = <T>(table: string, work: (run: Verification) => Promise<T>) => Promise<Ended<T>>

/** Both transactions read one snapshot; they may be one and the same. */
export interface Sessions {
  readonly walks: TransactionSql
  readonly rules: TransactionSql
}

export class Parts {
  /** For work in TypeScript on many rows. */
  readonly walk: Begin
  /** For statements that return only wrong rows. */
  readonly judge: Begin
  readonly #all: boolean
  readonly #findings: Findings
  readonly #lanes = new Map<TransactionSql, Promise<unknown>>()
  #stopped = false

  /** `findings` gets the problems when `end` is called. */
  constructor(
    { walks, rules }: Sessions,
    { account_id, all = false }: { readonly account_id: string | null; readonly all?: boolean },
    findings: Findings,
  ) {
    this.#findings = findings
    this.#all = all
    this.walk = (table, work) => this.#begin({ tx: walks, account_id }, table, work)
    this.judge = (table, work) => this.#begin({ tx: rules, account_id }, table, work)
  }

  /** Waits for the part, reports its problems, and throws EnoughProblems after the last one. */
  async end<T>(part: Promise<Ended<T>>): Promise<T | null> {
    const { result, found } = await part
    for (const problem of found.problems) this.#findings.add(problem)
    return result
  }

  /** Begins no further part, and waits for those that run: their transactions may end then. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.allSettled(this.#lanes.values())
  }

  #begin<T>(
    run: Omit<Verification, 'findings'>,
    table: string,
    work: (run: Verification) => Promise<T>,
  ): Promise<Ended<T>> {
    const found = new Findings(this.#all)
    const before = this.#lanes.get(run.tx) ?? Promise.resolve()
    const part = before.then(async () => ({
      result: this.#stopped ? null : await partOf({ ...run, findings: found }, table, work),
      found,
    }))
    part.catch(() => {})
    this.#lanes.set(run.tx, part)
    return part
  }
}

/** If PostgreSQL or a check cannot read a row, the part ends with a problem about its table. */
async function partOf<T>(
  run: Verification,
  table: string,
  work: (run: Verification) => Promise<T>,
): Promise<T | null> {
  try {
    return await run.tx.savepoint(tx => work({ ...run, tx }))
  } catch (error) {
    if (error instanceof EnoughProblems) return null
    if (!isAboutData(error)) throw error
    run.findings.addLast(unreadable({ table, account_id: '', key: '' }, error))
    return null
  }
}

/** An SQLSTATE of class 22 or 23, or JavaScript's errors about a value of the wrong type. */
export function isAboutData(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) {
    return true
  }
  return /^2[23]/.test(String((error as { code?: unknown } | null)?.code ?? ''))
}
