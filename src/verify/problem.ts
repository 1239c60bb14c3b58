// How a check names a wrong row, so that a person can find it. The verification then ends, or goes
// on to name every such row. Knows no check.

/** A wrong row; every member is text for people. */
export interface Problem {
  readonly table: string
  /** '' when the trouble is of no account, or of several. */
  readonly account_id: string
  /** The row's key within the account, such as `number 17` or an id. */
  readonly key: string
  readonly expected: string
  readonly found: string
}

/** A check throws it at a wrong row. */
export class BadRow extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(describe(problem))
    this.problem = problem
  }
}

/** One line: where, what should be there, what is there. */
export function describe({ table, account_id, key, expected, found }: Problem): string {
  const where = [table, account_id && `account ${account_id}`, key].filter(part => part !== '')
  return `${where.join(', ')}: expected ${expected}; found ${found}`
}

/** Most rows that are named at once. A database with more wrong rows is not mended row by row. */
export const MAX_NAMED = 10_000

/** The longest text about the content of a row: a document may be of any size. */
const MAX_SAID = 500

/** Thrown when no more rows are to be named. */
export class Enough extends Error {}

/** Where a row is, before its content is known. */
type Place = Pick<Problem, 'table' | 'account_id' | 'key'>

/** The rows named so far. */
export class Findings {
  readonly problems: Problem[] = []
  readonly #all: boolean
  readonly #onProblem: (problem: Problem) => void
  readonly #named = new Set<string>()

  /** `all` names every bad row, and not only the first. */
  constructor(all: boolean, onProblem: (problem: Problem) => void = () => {}) {
    this.#all = all
    this.#onProblem = onProblem
  }

  /** Names a row, once. Throws Enough when it is the last to be named. */
  add({ table, account_id, key, expected, found }: Problem): void {
    const name = JSON.stringify([table, account_id, key])
    if (this.#named.has(name)) return
    this.#named.add(name)
    const problem = { table, account_id, key, expected: brief(expected), found: brief(found) }
    this.problems.push(problem)
    this.#onProblem(problem)
    if (!this.#all || this.problems.length === MAX_NAMED) throw new Enough()
  }

  /**
   * Runs the check of one row, and names that row whatever goes wrong: the check throws, or the row
   * cannot be checked. Returns whether all was well.
   */
  guard(place: Place, check: () => void): boolean {
    try {
      check()
      return true
    } catch (error) {
      if (error instanceof Enough) throw error
      this.add(error instanceof BadRow ? error.problem : unreadable(place, error))
      return false
    }
  }
}

/** The problem of a row, or of a table, that a check cannot read. */
export function unreadable(place: Place, error: unknown): Problem {
  const found = error instanceof Error ? error.message : String(error)
  return { ...place, expected: 'values that can be checked', found }
}

/** A row may lack what a problem would say about it. */
function brief(said: string | null): string {
  const text = said ?? 'nothing'
  return text.length <= MAX_SAID ? text : `${text.slice(0, MAX_SAID)}…`
}
