// Reads the members of a JSON object from an operator, and collects its problems, each with the
// path of its member. Pure.
import type { Read } from './csv.ts'
import { didYouMean } from './nearest.ts'

type Values = Readonly<Record<string, unknown>>

export class Members {
  readonly #values: Values
  readonly #path: string
  readonly problems: string[]

  constructor(json: unknown, path: string, known?: readonly string[], problems: string[] = []) {
    this.#path = path
    this.problems = problems
    const is_object = typeof json === 'object' && json !== null && !Array.isArray(json)
    this.#values = is_object ? (json as Values) : {}
    if (!is_object) problems.push(`${path || 'config'} must be a JSON object`)
    if (known !== undefined) this.only(known)
  }

  /** Reports unknown members, because a typing error must not leave a default in place. */
  only(known: readonly string[]): void {
    for (const name of Object.keys(this.#values)) {
      if (!known.includes(name)) this.problem(name, `is not known${didYouMean(name, known)}`)
    }
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null
  }

  problem(name: string, message: string): void {
    const path = [this.#path, name].filter(part => part !== '').join('.')
    this.problems.push(`${path} ${message}`)
  }

  object(name: string, fallback?: object): Members {
    const path = this.#path === '' ? name : `${this.#path}.${name}`
    return new Members(this.#values[name] ?? fallback, path, undefined, this.problems)
  }

  isObject(name: string): boolean {
    const value = this.#values[name]
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  }

  /** The members of a list of `least` to `most` objects; the first ones of a longer list. */
  objects(name: string, least: number, most: number): Members[] {
    const value = this.#values[name]
    const list: readonly unknown[] = Array.isArray(value) ? value : []
    if (list.length < least || list.length > most) {
      this.problem(name, `must be a list of ${least} to ${most} objects`)
    }
    const path = this.#path === '' ? name : `${this.#path}.${name}`
    return list
      .slice(0, most)
      .map((one, i) => new Members(one, `${path}[${i}]`, undefined, this.problems))
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.#values[name] ?? fallback
    if (typeof value === 'boolean') return value
    this.problem(name, 'must be true or false')
    return fallback
  }

  /** Without `fallback` the member is required. */
  text(name: string, max: number, fallback?: string): string {
    const value = this.#values[name] ?? fallback
    if (value === undefined) this.problem(name, 'is missing')
    else if (typeof value !== 'string') this.problem(name, 'must be text')
    else if (value === '' && fallback === undefined) this.problem(name, 'must not be empty')
    else if (value.length > max) this.problem(name, `has more than ${max} characters`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    else if (/[\u0000-\u001f\u007f]/.test(value)) this.problem(name, 'must be one line of text')
    else return value.trim()
    return ''
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.#values[name] ?? fallback
    if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) {
      return Number(value)
    }
    this.problem(name, `must be a whole number from ${min} to ${max}`)
    return fallback
  }

  /** Without `fallback` the member is required. */
  oneOf<T extends string>(name: string, known: readonly [T, ...T[]], fallback?: T): T {
    const found = known.find(one => one === (this.#values[name] ?? fallback))
    if (found === undefined) this.problem(name, `must be one of ${known.join(', ')}`)
    return found ?? known[0]
  }

  /** A member that `reader`, of another room, reads; undefined when it has problems. */
  read<T>(name: string, reader: (written: unknown) => Read<T>): T | undefined {
    if (!this.has(name)) {
      this.problem(name, 'is missing')
      return undefined
    }
    const { value, messages } = reader(this.#values[name])
    if (messages === undefined) return value
    for (const message of messages) this.problem(name, message)
    return undefined
  }
}
