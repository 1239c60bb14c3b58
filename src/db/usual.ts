// Which lists have a statement that connections keep prepared. Callers choose among millions of
// combinations of filters; a prepared statement for each would fill the memory of PostgreSQL.

const FEW_FILTERS = 2

/** The query. It is kept prepared if few other filters make the same statement. */
export function preparedIfUsual<Q extends { unprepared(): Q }>(
  query: Q,
  filters: Readonly<Record<string, readonly string[]>>,
) {
  const values = Object.values(filters)
  const isUsual = values.length <= FEW_FILTERS && values.every(({ length }) => length <= 1)
  return isUsual ? query : query.unprepared()
}
