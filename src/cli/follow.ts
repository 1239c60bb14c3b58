// What corridor listen and corridor logs --follow share: they look at an interval until Ctrl-C.
import { setTimeout } from 'node:timers/promises'

/** Aborted by the first Ctrl-C; the second ends the process. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
  return stopping.signal
}

/** Goes on after an error, and reports the first of several in a row. */
export async function follow(signal: AbortSignal, poll_ms: number, look: () => Promise<void>) {
  let is_failing = false
  while (!signal.aborted) {
    try {
      await look()
      is_failing = false
    } catch (error) {
      if (!is_failing) process.stderr.write(`corridor: trying again: ${(error as Error).message}\n`)
      is_failing = true
    }
    await setTimeout(poll_ms, undefined, { signal }).catch(() => {})
  }
}
