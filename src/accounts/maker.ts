// The maker of an object or of a change: who asked for it. Each object and each event of a change
// stores its maker. Pure.

/**
 * `key_…`: an account's key. `user:ada`: a person of the account. `operator:ada`: a person who runs
 * the installation.
 */
export type Maker = string

/** The caller of a request of an account. */
interface Caller {
  /** '' in a session. */
  readonly key_id: string
  /** The person who calls in their own name; '' for none. */
  readonly made_by: string
}

/** The caller, as maker of what the request asks for. */
export interface Making extends Caller {
  readonly maker: Maker
}

const PERSON = 'user:'
/** What an account sees of the people who run the installation. */
export const OPERATOR = 'operator'
export const OPERATORS = `${OPERATOR}:`

/** The maker behind a request: the person, or else the key. */
export function makerOf({ key_id, made_by }: Caller): Maker {
  return made_by === '' ? key_id : personMaker(made_by)
}

export function personMaker(name: string): Maker {
  return PERSON + name
}

export function operatorMaker(name: string): Maker {
  return OPERATORS + name
}

/** The maker as its account sees it: without the names of the people who run the installation. */
export function shownMaker(maker: Maker): string {
  return maker.startsWith(OPERATORS) ? OPERATOR : maker
}

/** The name of a maker in words. `key_names` has the names of keys, by their ids. */
export function makerName(maker: string, key_names: ReadonlyMap<string, string>): string {
  if (maker.startsWith(PERSON)) return maker.slice(PERSON.length)
  if (maker.startsWith(OPERATORS)) return `${maker.slice(OPERATORS.length)} (${OPERATOR})`
  const name = key_names.get(maker)
  return name ? `${name} (${maker})` : maker
}
