// Wrong credentials of every kind, for tests that the service answers all of them alike.
import { basic, type Client } from '../service/service.ts'

/**
 * Authorization headers by their fault, made from a valid key (`good`) and a revoked one (`revoked`).
 */
export function wrongCredentials(good: Client, revoked: Client): Readonly<Record<string, string>> {
  const wrong = `${good.secret.slice(0, -1)}${good.secret.endsWith('A') ? 'B' : 'A'}`
  return {
    'unknown key': basic('key_00000000000000000000', good.secret),
    'wrong secret': basic(good.key_id, wrong),
    'revoked key': basic(revoked.key_id, revoked.secret),
    'revoked key, wrong secret': basic(revoked.key_id, wrong),
    'not base64': `Basic ${'*'.repeat(basic(good.key_id, good.secret).length)}`,
    'no colon': `Basic ${Buffer.from(good.key_id + good.secret).toString('base64')}`,
    'base64 of another spelling': `${basic(good.key_id, good.secret).replace(/=+$/, '')}====`,
  }
}
