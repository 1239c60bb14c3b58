// Reads the profile of a bank: the name of a shipped profile, or an operator's JSON with the
// differences from a shipped one. It reports every problem at once. Pure.
import type { BankProfile, Iso20022Profile } from '../../values/bank-format/bank-format.ts'
import {
  type Check,
  type Checks,
  checkMembers,
  isObject,
  isOneOf,
  isText,
  type Json,
  sharedChecks,
} from '../../values/bank-format/profile.ts'
import type { Read } from '../../values/text/csv.ts'
import { didYouMean } from '../../values/text/nearest.ts'
import shipped from './profiles.json' with { type: 'json' }
import { MEANINGS } from './status.ts'

/** The base of every other profile. */
const GENERIC = 'generic'

const isCode: Check = value =>
  typeof value === 'string' && /^[A-Z0-9]{0,4}$/.test(value)
    ? undefined
    : 'a code of up to four capital letters and digits, or ""'

/** Max35Text in the letters that every bank reads. */
const isId: Check = value =>
  typeof value === 'string' &&
  /^[A-Za-z0-9/\-?:().,'+ ]{0,35}$/.test(value) &&
  !/^[ /]|[ /]$|\/\//.test(value)
    ? undefined
    : 'an id of up to 35 characters of SWIFT, with no blank or slash at its ends, or ""'

const CHECKS = sharedChecks(MEANINGS)

const ISO_CHECKS: Checks<Iso20022Profile> = {
  pain001: isOneOf('pain.001.001.03', 'pain.001.001.09'),
  service_level: isCode,
  local_instrument: isCode,
  initiator_id: isId,
  debtor_id: isId,
  id_scheme: isCode,
}

/** `about` tells people where the profile comes from; `like` names its base profile. */
const EXTRA: Readonly<Record<string, Check>> = { about: isText, like: isText }

export const SHIPPED_PROFILES: readonly string[] = Object.keys(shipped)

/** The profile that an operator wrote or named, or all of its problems. */
export function readProfile(written: unknown): Read<BankProfile> {
  if (typeof written === 'string') return readShipped(written)
  if (!isObject(written)) return { messages: ['a profile is an object, or a name'] }
  const { like = GENERIC } = written
  const base = typeof like === 'string' ? readShipped(like) : { messages: ['like: not a name'] }
  const { iso20022 = {}, nacha = null, ...plain } = written
  const messages = [
    ...(base.messages ?? []),
    ...(plain.name === undefined ? ['name: a profile has a name'] : []),
    ...checkMembers('', plain, { ...CHECKS, ...EXTRA }),
    ...(isObject(iso20022)
      ? checkMembers('iso20022.', iso20022, ISO_CHECKS)
      : ['iso20022: must be an object']),
    ...(nacha === null ? [] : ['nacha: this is a profile of ISO 20022']),
  ]
  if (messages.length > 0 || base.value === undefined) return { messages }
  return { value: mergeProfile(base.value, written) }
}

function readShipped(name: string): Read<BankProfile> {
  const found = Object.entries(shipped).find(([known]) => known === name)
  if (found === undefined) {
    const names = SHIPPED_PROFILES.join(', ')
    const hint = didYouMean(name, SHIPPED_PROFILES)
    return { messages: [`unknown profile ${name}; the profiles are ${names}${hint}`] }
  }
  return { value: mergeProfile(mergeProfile({}, shipped[GENERIC]), { ...found[1], name }) }
}

/** The base profile, with the written members in place of its own. */
function mergeProfile(base: object, written: object): BankProfile {
  const [old, own] = [{ ...base } as Json, { ...written } as Json]
  const pick = (name: string) => [name, Object.hasOwn(own, name) ? own[name] : old[name]]
  const iso20022 = { ...(old.iso20022 as Json), ...(own.iso20022 as Json) }
  const plain = Object.fromEntries(Object.keys(CHECKS).map(pick))
  return { ...plain, iso20022, nacha: null } as unknown as BankProfile
}
