// Wrong credentials of every kind, for tests that none of them is answered unlike another.
import { basic, type Client } from '../service/service.ts'

/** Headers by what is wrong with them: of a key that is good, and of one that was revoked. */
export function wrongOnes(good: Client, ended: Client): Readonly<Record<string, string>> {
  const wrong = `${good.secret.slice(0, -1)}${good.secret.endsWith('A') ? 'B' : 'A'}`
  return {
    'unknown key': basic('key_00000000000000000000', good.secret),
    'wrong secret': basic(good.key_id, wrong),
    'revoked key': basic(ended.key_id, ended.secret),
    'revoked key, wrong secret': basic(ended.key_id, wrong),
    'not base64': `Basic ${'*'.repeat(basic(good.key_id, good.secret).length)}`,
    'no colon': `Basic ${Buffer.from(good.key_id + good.secret).toString('base64')}`,
    'base64 of another spelling': `${basic(good.key_id, good.secret).replace(/=+$/, '')}====`,
  }
}
