// How many rows a list of the command line shows.
import { UsageError } from './context.ts'

export const DEFAULT_LIMIT = 20
export const MAX_LIMIT = 1000

export function readLimit(text: string): number {
  const limit = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}`)
}
