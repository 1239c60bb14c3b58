// Which server a session is on, as it says itself: whether it takes writes, and since which
// promotion. Pure.

export interface Identity {
  /** Whether it repeats the writes of another server. */
  readonly is_standby: boolean
  /** Whether its settings refuse every write. */
  readonly is_read_only: boolean
  /** The cluster that it and its standbys are copies of; '' if it does not tell. */
  readonly system: string
  /**
   * The number that each promotion raises; 0 if it does not tell. A standby tells the least that it
   * may be.
   */
  readonly timeline: number
  /** When the server started: it tells two names of one server from two servers. */
  readonly started: string
}

/** A server that tells nothing else tells this. */
export const SHORT_MEMBERS = `pg_is_in_recovery() as is_standby,
  current_setting('default_transaction_read_only') as is_read_only`

/**
 * The list of a select. The log position has the timeline at once after a promotion, the last
 * checkpoint only later.
 */
export const MEMBERS = `${SHORT_MEMBERS},
  (select system_identifier from pg_control_system()) as system,
  case when pg_is_in_recovery()
    then greatest(
      (select timeline_id from pg_control_checkpoint()),
      (select received_tli from pg_stat_wal_receiver limit 1))
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer
  end as timeline,
  pg_postmaster_start_time() as started`

/** Reads the row of either list, whose values are texts. */
export function identityIn(row: Readonly<Record<string, unknown>>): Identity {
  const text = (name: string) => String(row[name] ?? '')
  return {
    is_standby: text('is_standby') === 't',
    is_read_only: text('is_read_only') === 'on',
    system: text('system'),
    timeline: Number(text('timeline')),
    started: text('started'),
  }
}
