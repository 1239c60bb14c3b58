// Preloaded into each process of a trial, and so into every process that it starts: gives one source
// file with its mutant in it, and all others as they are. No file on disk is changed.
import { registerHooks } from 'node:module'
import type { Change } from './mutate.ts'

/** What `CORRIDOR_MUTANT` holds, as JSON. */
export interface Loaded extends Change {
  /** Of the source file. */
  readonly url: string
}

const { CORRIDOR_MUTANT } = process.env
if (CORRIDOR_MUTANT !== undefined) {
  const { url, start, end, text } = JSON.parse(CORRIDOR_MUTANT) as Loaded
  registerHooks({
    load(wanted, context, next) {
      const loaded = next(wanted, context)
      if (wanted !== url) return loaded
      const source = Buffer.from(loaded.source as Uint8Array).toString()
      return { ...loaded, source: source.slice(0, start) + text + source.slice(end) }
    },
  })
}
