// The SQL statements of known devices: those on which a user has logged in.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import type { Tag } from '../../sql/sql.ts'
import { DEVICE_DAYS } from './session.ts'

/** Whether the user has logged in on the device of this token's hash within DEVICE_DAYS. */
export async function isKnownDevice(sql: Sql, user_name: string, token_hash: Buffer) {
  const rows = await sql`
    select from known_devices
    where secret_hash = ${token_hash} and user_name = ${user_name}
      and last_login_at > clock_timestamp() - make_interval(days => ${DEVICE_DAYS})`
  return rows.length === 1
}

/** Writes that the user logs in on a device. A trigger forgets all but the last MOST_DEVICES. */
export async function upsertDevice(tx: TransactionSql, user_name: string, token_hash: Buffer) {
  await tx`
    insert into known_devices (secret_hash, user_name) values (${token_hash}, ${user_name})
    on conflict (secret_hash) do update set last_login_at = clock_timestamp()
    where known_devices.user_name = excluded.user_name`
}

export async function deleteDevices(sql: Tag, user_name: string): Promise<void> {
  await sql`delete from known_devices where user_name = ${user_name}`
}

/** Forgets the devices on which nobody has logged in for DEVICE_DAYS; returns how many. */
export async function deleteOldDevices({ sql }: { readonly sql: Sql }): Promise<number> {
  const { count } = await sql`
    delete from known_devices
    where last_login_at < clock_timestamp() - make_interval(days => ${DEVICE_DAYS})`
  return count
}
