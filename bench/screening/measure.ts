// Measures how many listed names are found, as published and mistyped, and how many ordinary names
// are held by mistake.
import type { Screener } from '../../src/screening/screener.ts'
import type { ListedEntry, Party } from '../../src/screening/screening.ts'
import { type OrdinaryName, ordinaryName } from './ordinary-names.ts'
import { pick, type Random } from './random.ts'
import { type Mistype, TYPING_ERRORS } from './typing-errors.ts'

/** A party of which only name and kind are known. */
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

/** Draws `count` published names; returns the share that find their entry. */
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

/** As `namesFound`, but mistypes the names; a share for each kind of error. */
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
  /** The share of names that screening holds for a person. */
  readonly held: number
  /** How long each name took, in milliseconds. */
  readonly took_ms: readonly number[]
  /** The processor time of each name, in milliseconds. A busy machine does not change it. */
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
