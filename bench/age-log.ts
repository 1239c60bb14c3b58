// A write-ahead log as a database has that has been in use: PostgreSQL makes each new segment of
// its log by filling 16 MB with zeros while a commit waits, and renames old ones once it has some.
// A new database would be measured at making its first.
import { connect } from '../src/db/connect.ts'

/** More than is logged between two checkpoints: one begins at half of max_wal_size, of 2 GB. */
const ROWS = 150_000
const BYTES_A_ROW = 8_000

/** `database_url` is of the embedded server, whose superuser has the password of the owner. */
export async function ageLog(database_url: string): Promise<void> {
  const url = new URL(database_url)
  url.username = 'postgres'
  const sql = connect(url.href, { max: 1, as: 'owner' })
  try {
    await sql`create table aging (filler text)`
    await sql`alter table aging alter filler set storage external`
    await sql`insert into aging select repeat('x', ${BYTES_A_ROW}) from generate_series(1, ${ROWS})`
    await sql`drop table aging`
    await sql`checkpoint`
  } finally {
    await sql.end({ timeout: 5 })
  }
}
