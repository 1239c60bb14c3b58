// What the author of a row of the audit log did not choose, in words. Pure.
import type { Origin } from './store.ts'

/** The user, host and terminal of a command, or the key of a request; '' for neither. */
export function describeOrigin({ key_id, os_user, sudo_user, host, terminal }: Origin): string {
  if (key_id !== undefined) return key_id
  const by = sudo_user === undefined ? '' : ` by sudo of ${sudo_user}`
  const place = [host, terminal].filter(one => one !== undefined).join(' ')
  return os_user === undefined ? '' : `${os_user}${by} at ${place}`
}
