// What corridor listen and corridor logs --follow share: they look again and again until Ctrl-C.
import { setTimeout } from 'node:timers/promises'

/** Aborted by the first Ctrl-C; the second ends the process. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
  return stopping.signal
}

/** Looks until the signal. While the database is away, as when it restarts, it goes on trying. */
export async function follow(signal: AbortSignal, poll_ms: number, look: () => Promise<void>) {
  let away = false
  while (!signal.aborted) {
    try {
      await look()
      away = false
    } catch (error) {
      if (!away) process.stderr.write(`corridor: trying again: ${(error as Error).message}\n`)
      away = true
    }
    await setTimeout(poll_ms, undefined, { signal }).catch(() => {})
  }
}
