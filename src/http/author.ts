// The author of a request, as the audit log names it.
import type { FastifyRequest } from 'fastify'
import type { Author } from '../ledger/audit/store.ts'

/** The caller as the author of an act. `operator` is '' for an account's key without a person. */
export function callerOf(
  { ip, key_id }: Pick<FastifyRequest, 'ip' | 'key_id'>,
  operator: string,
  act: string,
): Author {
  return { operator, act, via: `api from ${ip}`, origin: key_id === '' ? {} : { key_id } }
}
