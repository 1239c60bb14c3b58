// Preloaded into each process of a trial, and into every process that it starts: loads one source
// file with its mutant, without changing a file on disk.
import { registerHooks } from 'node:module'
import type { Change } from './mutate.ts'

/** The JSON in `CORRIDOR_MUTANT`. */
export interface Loaded extends Change {
  /** The source file's URL. */
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
