// How a success is written. Presented objects become their final text here, once: the same text
// goes to the socket and, under an Idempotency-Key, into the database.
import type { Reply } from '../idempotency/kept-reply.ts'

/** 200 with `{status, message, data}`. */
export function success(data: object): Reply {
  return { status: 200, body: enveloped(data), replayed: false }
}

/** 200 with the object itself, as quotes are answered. */
export function bare(data: object): Reply {
  return { status: 200, body: JSON.stringify(data), replayed: false }
}

export function enveloped(data: object): string {
  return `{"status":"success","message":"","data":${JSON.stringify(data)}}`
}
