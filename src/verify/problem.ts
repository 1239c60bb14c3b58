// How a check says that a row is wrong: it throws the first one it meets, named so that a person
// can find it. Knows no check.

/** The first row that is not as it must be; every member is text for people. */
export interface Problem {
  readonly table: string
  /** '' when the trouble is not of one account. */
  readonly account_id: string
  /** The row's key within the account, such as `number 17` or an id. */
  readonly key: string
  readonly expected: string
  readonly found: string
}

/** Thrown by every check at the first bad row. */
export class BadRow extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(describe(problem))
    this.problem = problem
  }
}

/** One line: where, what should be there, what is. */
export function describe({ table, account_id, key, expected, found }: Problem): string {
  const where = [table, account_id && `account ${account_id}`, key].filter(part => part !== '')
  return `${where.join(', ')}: expected ${expected}; found ${found}`
}
