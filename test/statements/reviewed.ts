// The statements that ask more than one shard, or a table of no account beside one of accounts, and
// why each may: where it stands, and how its text begins when not all of the file is meant.

export interface Reviewed {
  readonly file: string
  /** What the text says, with single spaces; '' for every statement of the file. */
  readonly says: string
  readonly why: string
}

const FINDS =
  'the finder looks for work over all accounts; what it finds is claimed account by account'
const OPERATOR = 'the operator asks over all accounts, seldom'

export const REVIEWED: readonly Reviewed[] = [
  { file: 'src/verify/', says: '', why: 'verify reads the whole, as the auditor' },
]
export { FINDS, OPERATOR }
