// A wrong row as a problem, by which a person finds the row. Knows no check.

/** A wrong row. Every member is text for people. */
export interface Problem {
  readonly table: string
  /** '' when the row belongs to no account, or to several. */
  readonly account_id: string
  /** The row's key within the account, such as `number 17` or an id. */
  readonly key: string
  readonly expected: string
  readonly found: string
}

/** A check throws it for a wrong row. */
export class BadRow extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(describe(problem))
    this.problem = problem
  }
}

/** The problem on one line. */
export function describe({ table, account_id, key, expected, found }: Problem): string {
  const where = [table, account_id && `account ${account_id}`, key].filter(part => part !== '')
  return `${where.join(', ')}: expected ${expected}; found ${found}`
}

/** Nobody repairs more rows one by one. */
export const MAX_NAMED = 10_000

/** A JSON document may have any size. */
const MAX_TEXT = 500

/** Ends a verification after its last reported row. */
export class EnoughProblems extends Error {}

type Place = Pick<Problem, 'table' | 'account_id' | 'key'>

export class Findings {
  readonly problems: Problem[] = []
  readonly #all: boolean
  readonly #onProblem: (problem: Problem) => void
  readonly #named = new Set<string>()

  /** `all` collects every wrong row instead of the first. */
  constructor(all: boolean, onProblem: (problem: Problem) => void = () => {}) {
    this.#all = all
    this.#onProblem = onProblem
  }

  /** Each row once. Throws EnoughProblems after the last row to report. */
  add({ table, account_id, key, expected, found }: Problem): void {
    const name = JSON.stringify([table, account_id, key])
    if (this.#named.has(name)) return
    this.#named.add(name)
    const problem = { table, account_id, key, expected: brief(expected), found: brief(found) }
    this.problems.push(problem)
    this.#onProblem(problem)
    if (!this.#all || this.problems.length === MAX_NAMED) throw new EnoughProblems()
  }

  /** Adds the problem that ends its part. */
  addLast(problem: Problem): void {
    try {
      this.add(problem)
    } catch (error) {
      if (!(error instanceof EnoughProblems)) throw error
    }
  }

  /** Returns whether the check passed. An error of any other kind means an unreadable row. */
  guard(place: Place, check: () => void): boolean {
    try {
      check()
      return true
    } catch (error) {
      if (error instanceof EnoughProblems) throw error
      this.add(error instanceof BadRow ? error.problem : unreadable(place, error))
      return false
    }
  }
}

export function unreadable(place: Place, error: unknown): Problem {
  const found = error instanceof Error ? error.message : String(error)
  return { ...place, expected: 'values that can be checked', found }
}

/** SQL gives null for content that a wrong row lacks. */
function brief(content: string | null): string {
  const text = content ?? 'nothing'
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`
}
