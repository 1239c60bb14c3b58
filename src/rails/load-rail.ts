// Reads a rail that an operator adds: its name, kind, settings and secret. Reports every problem at
// once. Callers pass the kinds that this version has. Pure.
import type { Read } from '../values/text/csv.ts'
import { didYouMean } from '../values/text/nearest.ts'
import type { AnyRailKind, RailRow } from './kind.ts'
import { MANUAL, SIMULATOR } from './rail.ts'

/** A rail as the operator writes it. */
interface RailText {
  readonly name: string
  readonly kind: string
  /** The text of the settings file. */
  readonly config: string
  /** The text of the secret's file; '' for none. */
  readonly secret: string
}

const NAME = /^[a-z][a-z0-9_]{1,30}$/

/** The rail, not paused, or all of its problems. */
export function readRail(text: RailText, kinds: readonly AnyRailKind[]): Read<RailRow> {
  const { name } = text
  const kind = kinds.find(known => known.name === text.kind)
  const config = readJson(text.config)
  // A file ends in a line break that is not part of the secret.
  const secret = text.secret.trim()
  const messages = [
    ...nameProblems(name),
    ...(kind === undefined ? [unknownKind(text.kind, kinds)] : []),
    ...(config.messages ?? kind?.check(config.value, secret) ?? []),
  ]
  if (messages.length > 0 || kind === undefined) return { messages }
  return { value: { name, kind: kind.name, config: config.value, secret, paused_reason: '' } }
}

function nameProblems(name: string): string[] {
  if (name === MANUAL || name === SIMULATOR) return [`rail ${name} is there already`]
  if (NAME.test(name)) return []
  return [
    `the name "${name}" is not 2 to 31 small letters, digits and underscores, of which the first ` +
      'is a letter',
  ]
}

function unknownKind(kind: string, kinds: readonly AnyRailKind[]): string {
  const names = kinds.map(({ name }) => name)
  return `unknown kind ${kind}; the kinds are ${names.join(', ')}${didYouMean(kind, names)}`
}

function readJson(text: string): Read<unknown> {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { messages: [`the settings are no JSON: ${(error as Error).message}`] }
  }
}
