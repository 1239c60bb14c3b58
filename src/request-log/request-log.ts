// A request of a sandbox account as the log keeps it: how it ended, without personal data. Also the
// bounds of the log.

/** `abandoned`: the caller left before the answer was written. */
export const OUTCOMES = ['succeeded', 'refused', 'failed', 'abandoned'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface LoggedRequest {
  readonly account_id: string
  /** Contains the time at which the request ended, by the clock of the process. */
  readonly id: string
  /** The id in the answer's X-Request-Id. */
  readonly request_id: string
  /** The key of the account, or of the person who called in their own name. */
  readonly key_id: string
  readonly method: string
  /** The path with its query; anything but the API's own words is masked. */
  readonly path: string
  readonly outcome: Outcome
  /** Null when the caller left before the answer. */
  readonly status: number | null
  readonly duration_us: number
  /** The reason of the first error, as its path is `remarks`; '' of a request that succeeded. */
  readonly reason: string
  readonly remarks: string
  /** The masked body as JSON; '' when there was none, or when the log keeps no bodies. */
  readonly body: string
}

/** The most rows of an account; the log drops older ones. */
export const KEPT = 1_000
export const MAX_PATH = 500
export const MAX_REMARKS = 200
export const MAX_BODY = 4_096
/**
 * The most characters of bodies that wait in memory. Beyond that, requests are kept without a body.
 */
export const MAX_WAITING_TEXT = 4 * 1024 * 1024
