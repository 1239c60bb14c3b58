// The embedded server's superuser, who has the password of the owner. Knows no scenario.
import { connect, type Sql } from '../src/db/connect.ts'
import { SUPERUSER } from '../src/postgres/cluster.ts'

/** Works in the database of that url, which is its owner's. */
export async function asSuperuser<T>(
  database_url: string,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const url = new URL(database_url)
  url.username = SUPERUSER
  const sql = connect(url.href, { max: 1, as: 'owner' })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
