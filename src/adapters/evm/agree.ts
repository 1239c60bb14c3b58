// What several providers agree on: an answer counts when enough of them give the same.
import type { Agreed } from './chain.ts'

export interface Asked<T> {
  readonly name: string
  readonly answer: Promise<T>
}

/** How many of a chain's providers must give the same answer: 2 of 2 or 3, 3 of 4 or 5. */
export function quorumOf(providers: number): number {
  return Math.floor(providers / 2) + 1
}

/**
 * The answer that `need` providers give, as soon as they have given it, or why there is none.
 * Answers are the same when their members have the same values in the same order.
 */
export function agree<T>(asked: readonly Asked<T>[], need: number): Promise<Agreed<T>> {
  const given = new Map<string, string[]>()
  const faults: string[] = []
  let open = asked.length
  return new Promise(resolve => {
    const giveUp = () => {
      const most = Math.max(0, ...[...given.values()].map(names => names.length))
      if (most + open < need) resolve({ unclear: reasonOf(given, faults) })
    }
    const take = (name: string, value: T) => {
      const key = keyOf(value)
      const names = given.get(key) ?? []
      names.push(name)
      given.set(key, names)
      if (names.length >= need) resolve({ agreed: value })
    }
    for (const { name, answer } of asked) {
      answer
        .then(
          value => take(name, value),
          error => faults.push(`${name}: ${(error as Error).message}`),
        )
        .finally(() => {
          open -= 1
          giveUp()
        })
    }
    giveUp()
  })
}

/** Equal for answers that are the same. */
export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one))
}

/** `own: timeout; alchemy and infura answer otherwise than each other`. */
function reasonOf(
  given: ReadonlyMap<string, readonly string[]>,
  faults: readonly string[],
): string {
  const names = [...given.values()].flat()
  const split = given.size > 1 ? [`${names.join(' and ')} give different answers`] : []
  const single = given.size === 1 ? [`only ${names.join(' and ')} answered`] : []
  return [...faults, ...split, ...single].join('; ') || 'no provider can be asked'
}

/**
 * The values of the first `need` promises that are fulfilled, and of others that are `grace_ms`
 * later; fewer when all have ended.
 */
export function firstOf<T>(
  promises: readonly Promise<T>[],
  need: number,
  grace_ms = 0,
): Promise<readonly T[]> {
  const values: T[] = []
  let open = promises.length
  return new Promise(resolve => {
    let timer: NodeJS.Timeout | undefined
    const done = () => {
      clearTimeout(timer)
      resolve([...values])
    }
    const end = () => {
      open -= 1
      const is_enough = values.length >= need
      if (open === 0 || (is_enough && grace_ms === 0)) done()
      else if (is_enough) timer ??= setTimeout(done, grace_ms)
    }
    if (open === 0) done()
    for (const promise of promises)
      promise
        .then(
          value => values.push(value),
          () => {},
        )
        .finally(end)
  })
}
