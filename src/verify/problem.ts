// A check reports a wrong row as a problem, by which a person finds the row. The verification then
// ends, or goes on and reports every wrong row. Knows no check.

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

/** The problem on one line: the row, the expected content, the found content. */
export function describe({ table, account_id, key, expected, found }: Problem): string {
  const where = [table, account_id && `account ${account_id}`, key].filter(part => part !== '')
  return `${where.join(', ')}: expected ${expected}; found ${found}`
}

/** The most rows that one verification reports. Nobody repairs more rows one by one. */
export const MAX_NAMED = 10_000

/** The longest text about a row's content: a JSON document may have any size. */
const MAX_TEXT = 500

/** Ends a verification after its last reported row. */
export class EnoughProblems extends Error {}

/** The address of a row. */
type Place = Pick<Problem, 'table' | 'account_id' | 'key'>

/** The problems of one verification. */
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

  /** Adds a wrong row, each row once. Throws EnoughProblems after the last row to report. */
  add({ table, account_id, key, expected, found }: Problem): void {
    const name = JSON.stringify([table, account_id, key])
    if (this.#named.has(name)) return
    this.#named.add(name)
    const problem = { table, account_id, key, expected: brief(expected), found: brief(found) }
    this.problems.push(problem)
    this.#onProblem(problem)
    if (!this.#all || this.problems.length === MAX_NAMED) throw new EnoughProblems()
  }

  /**
   * Runs the check of one row and returns whether it passed. Adds the row when the check throws
   * BadRow, or any other error because it cannot read the row.
   */
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

/** The problem of a row or table that a check cannot read. */
export function unreadable(place: Place, error: unknown): Problem {
  const found = error instanceof Error ? error.message : String(error)
  return { ...place, expected: 'values that can be checked', found }
}

/** The text, shortened to MAX_TEXT. SQL gives null for content that a wrong row lacks. */
function brief(content: string | null): string {
  const text = content ?? 'nothing'
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`
}
