// A request of a sandbox account as the log keeps it: how it ended, and nothing that says who
// somebody is. The bounds of what is kept.

/** `abandoned`: the caller left before the answer was written. */
export const OUTCOMES = ['succeeded', 'refused', 'failed', 'abandoned'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface LoggedRequest {
  readonly account_id: string
  /** Holds the time at which the request ended, by the clock of the process. */
  readonly id: string
  /** As the answer has it, in X-Request-Id. */
  readonly request_id: string
  /** Of the account, or of the person who called in their own name. */
  readonly key_id: string
  readonly method: string
  /** With its query; what is not of the API's own words is masked. */
  readonly path: string
  readonly outcome: Outcome
  /** Null when the caller left before. */
  readonly status: number | null
  readonly duration_us: number
  /** Of the first error, as its path `remarks`; '' of a request that succeeded. */
  readonly reason: string
  readonly remarks: string
  /** The masked body as JSON; '' when there was none or bodies are not logged. */
  readonly body: string
}

/** Rows of an account; older ones are dropped. */
export const KEPT = 1_000
export const MAX_PATH = 500
export const MAX_REMARKS = 200
export const MAX_BODY = 4_096
/** Bodies of this many characters wait in memory to be written; of further requests none does. */
export const MAX_WAITING_TEXT = 4 * 1024 * 1024
