// A request of a sandbox account as the log keeps it: its outcome, without personal data. Also the
// bounds of the log.

/** `abandoned`: the caller left before the answer was written. */
export const OUTCOMES = ['succeeded', 'refused', 'failed', 'abandoned'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface LoggedRequest {
  readonly account_id: string
  /** Contains the time at which the request ended, by the clock of the process. */
  readonly id: string
  readonly request_id: string
  /** The key of the account, or of the person who called in their own name. */
  readonly key_id: string
  readonly method: string
  /** The path with its query. All but the API's own words is masked. */
  readonly path: string
  readonly outcome: Outcome
  /** Null when the caller left before the answer. */
  readonly status: number | null
  readonly duration_us: number
  /** The reason and path of the first error; '' for a request that succeeded. */
  readonly reason: string
  readonly remarks: string
}

/** The most rows of an account. The log drops older rows. */
export const MAX_ROWS = 1_000
export const MAX_PATH = 500
export const MAX_REMARKS = 200
