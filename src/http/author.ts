// The author of a request, as the audit log names it, and the maker of what it asks for.
import type { FastifyRequest } from 'fastify'
import { type Making, makerOf } from '../accounts/maker.ts'
import type { Author } from '../ledger/audit/store.ts'

/** The caller as the author of an act. `operator` is '' for an account's key without a person. */
export function callerOf(
  { ip, key_id }: Pick<FastifyRequest, 'ip' | 'key_id'>,
  operator: string,
  act: string,
): Author {
  return { operator, act, via: `api from ${ip}`, origin: key_id === '' ? {} : { key_id } }
}

/** The maker is who calls, whatever the body says. */
export function makingOf({ key_id, person }: Pick<FastifyRequest, 'key_id' | 'person'>): Making {
  const caller = { key_id, made_by: person?.user ?? '' }
  return { ...caller, maker: makerOf(caller) }
}
