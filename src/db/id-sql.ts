// Ids as PostgreSQL writes them from what rows have, by the same recipe as id.ts: for whoever holds
// rows against their ids. Knows no table.

/** Of which a byte is taken at once; of text the characters before it are counted first. */
const ALPHABET = `'0123456789abcdefghjkmnpqrstvwxyz'::bytea`

/** An integer as so many characters of Crockford's base 32. */
function base32Sql(value: string, length: number): string {
  const characters = Array.from({ length }, (_, i) => {
    const bits = `((${value} >> ${5 * (length - 1 - i)}) & 31)::integer`
    return `substr(${ALPHABET}, ${bits} + 1, 1)`
  })
  return `convert_from(${characters.join(' || ')}, 'UTF8')`
}

/** What the ids that a book gives at a time have of it; computed once a row it is cheapest. */
export function idTimeSql(micros: string): string {
  return base32Sql(micros, 11)
}

/** Microseconds since 1970, exactly. */
export function microsSql(at: string): string {
  return `(extract(epoch from ${at}) * 1000000)::bigint`
}

/** The same in milliseconds, rounded down. */
function millisSql(at: string): string {
  return `(${microsSql(at)} / 1000)`
}

/** What the ids of an account's numbered rows end in. */
export function accountMarkSql(account_id: string): string {
  const digest = `encode(sha256(convert_to(${account_id}, 'UTF8')), 'hex')`
  return base32Sql(`('x' || left(${digest}, 5))::bit(20)::bigint`, 4)
}

/** The id of a row that has a number in its book. */
export function numberedIdSql(
  prefix: string,
  row: { readonly account_id: string; readonly created_at: string; readonly number: string },
): string {
  const [time, number] = [base32Sql(millisSql(row.created_at), 9), base32Sql(row.number, 7)]
  return `'${prefix}_' || ${time} || ${number} || ${accountMarkSql(row.account_id)}`
}
