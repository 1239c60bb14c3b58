// SQL expressions that compute ids from rows, by the recipe of id.ts, for `corridor verify`.

/** A bytea, on which substr takes constant time. On a text it counts the characters before. */
const ALPHABET = `'0123456789abcdefghjkmnpqrstvwxyz'::bytea`

/** An integer as `length` characters of Crockford's base 32. */
function base32Sql(value: string, length: number): string {
  const characters = Array.from({ length }, (_, i) => {
    const bits = `((${value} >> ${5 * (length - 1 - i)}) & 31)::integer`
    return `substr(${ALPHABET}, ${bits} + 1, 1)`
  })
  return `convert_from(${characters.join(' || ')}, 'UTF8')`
}

/** The 11 characters of time in ids that a book makes. Compute them once a row: they cost most. */
export function idTimeSql(micros: string): string {
  return base32Sql(micros, 11)
}

/** The microseconds since 1970 in an id that a book has made, as a bigint. */
export function idMicrosSql(id: string): string {
  const digits = Array.from({ length: 11 }, (_, i) => {
    const digit = `strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(${id}, ${5 + i}, 1)) - 1`
    return `((${digit})::bigint << ${5 * (10 - i)})`
  })
  return `(${digits.join(' + ')})`
}

/** An instant as microseconds since 1970, exactly. */
export function microsSql(at: string): string {
  return `(extract(epoch from ${at}) * 1000000)::bigint`
}

/** An instant as milliseconds since 1970, rounded down. */
function millisSql(at: string): string {
  return `(${microsSql(at)} / 1000)`
}

/** The last four characters in the ids of an account's numbered rows. */
export function accountMarkSql(account_id: string): string {
  const digest = `encode(sha256(convert_to(${account_id}, 'UTF8')), 'hex')`
  return base32Sql(`('x' || left(${digest}, 5))::bit(20)::bigint`, 4)
}

export function numberedIdSql(
  prefix: string,
  row: { readonly account_id: string; readonly created_at: string; readonly number: string },
): string {
  const [time, number] = [base32Sql(millisSql(row.created_at), 9), base32Sql(row.number, 7)]
  return `'${prefix}_' || ${time} || ${number} || ${accountMarkSql(row.account_id)}`
}
