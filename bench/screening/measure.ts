// Measures how well names are found: as they are published, mistyped, and when nobody is meant.
import type { Screener } from '../../src/screening/screener.ts'
import type { ListedEntry, Party } from '../../src/screening/screening.ts'
import { type OrdinaryName, ordinaryName } from './ordinary-names.ts'
import { pick, type Random } from './random.ts'
import { type Mistype, TYPING_ERRORS } from './typing-errors.ts'

/** Of a party nothing is known but its name. */
export function named({ name, kind }: OrdinaryName): Party {
  return { name, kind, birth_date: '', countries: [], ids: [] }
}

function kindOf({ kind }: ListedEntry): Party['kind'] {
  return kind === 'person' || kind === 'organisation' ? kind : 'unknown'
}

function isFound(screener: Screener, entry: ListedEntry, name: string): boolean {
  const party = named({ name, kind: kindOf(entry) } as OrdinaryName)
  return screener.screen(party).some(hit => hit.entry === entry)
}

/** The share of published names by which their entry is found, of `count` drawn. */
export function namesFound(
  screener: Screener,
  entries: readonly ListedEntry[],
  count: number,
  random: Random,
): number {
  let found = 0
  for (let i = 0; i < count; i++) {
    const entry = pick(random, entries)
    if (isFound(screener, entry, pick(random, entry.names).text)) found++
  }
  return found / count
}

/** The same for mistyped names, by the kind of error. Skips names that cannot have the error. */
export function mistypedFound(
  screener: Screener,
  entries: readonly ListedEntry[],
  count: number,
  random: Random,
): Record<string, number> {
  const shares = Object.entries(TYPING_ERRORS).map(([error, mistype]) => {
    let found = 0
    for (let i = 0; i < count; i++) {
      const [entry, name] = mistyped(entries, mistype, random)
      if (isFound(screener, entry, name)) found++
    }
    return [error, found / count]
  })
  return Object.fromEntries(shares)
}

function mistyped(entries: readonly ListedEntry[], mistype: Mistype, random: Random) {
  for (;;) {
    const entry = pick(random, entries)
    const published = pick(random, entry.names).text
    const name = mistype(published, random)
    if (name !== published) return [entry, name] as const
  }
}

export interface Ordinary {
  /** The share for which somebody would have to look. */
  readonly held: number
  /** What each took, in milliseconds. */
  readonly took_ms: readonly number[]
  /** The processor time of each, likewise: a busy machine makes names wait, and not work more. */
  readonly cpu_ms: readonly number[]
}

export function ordinaryHeld(screener: Screener, count: number, random: Random): Ordinary {
  const took: number[] = []
  const cpu: number[] = []
  let held = 0
  for (let i = 0; i < count; i++) {
    const party = named(ordinaryName(random))
    const cpu_from = process.cpuUsage()
    const from = performance.now()
    if (screener.screen(party).length > 0) held++
    took.push(performance.now() - from)
    const { user, system } = process.cpuUsage(cpu_from)
    cpu.push((user + system) / 1_000)
  }
  return { held: held / count, took_ms: took, cpu_ms: cpu }
}
