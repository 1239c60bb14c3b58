// Tells listeners of each statement, from its sending to its answer. It knows the text, with a
// placeholder for each parameter, and hands on no parameter.
import { currentCourse, STATEMENTS, type StatementContext } from '../steps.ts'

type Call = (...parameters: unknown[]) => unknown

/** What postgres.js gives for a statement, and for a piece of one, which nobody waits for. */
type Query = Record<'then' | 'catch' | 'finally', Call>

/**
 * The same connections, or transaction, with statements that are told of; the very same while
 * nobody listens. The `debug` option of postgres.js would not do: it says nothing of the end, and
 * puts parameters into errors, which are logged.
 */
export function watched<S extends CallableFunction>(sql: S): S {
  if (!STATEMENTS.hasSubscribers) return sql
  return new Proxy(sql, {
    apply: (target, self, parameters) => told(Reflect.apply(target, self, parameters)),
    get(target, name, receiver) {
      const member = Reflect.get(target, name, receiver)
      if (name !== 'unsafe') return member
      return (...parameters: unknown[]) => told(Reflect.apply(member as Call, target, parameters))
    },
  })
}

/** A query is sent when somebody begins to wait for it; outside any course nothing is told. */
function told(made: unknown): unknown {
  const within = currentCourse()
  if (within === undefined || !(made instanceof Promise)) return made
  const query = made as unknown as Query
  let sent = false
  for (const way of ['then', 'catch', 'finally'] as const) {
    const wait = query[way]
    query[way] = (...parameters) => {
      if (!sent) {
        sent = true
        tell({ within, text: '' }, made)
      }
      return Reflect.apply(wait, query, parameters)
    }
  }
  return query
}

function tell(context: StatementContext, query: Promise<unknown>): void {
  STATEMENTS.start.publish(context)
  // Not by the query's own `then`, which would tell again, and send.
  Promise.prototype.then.call(
    query,
    (result: { statement?: { string: string } }) => {
      context.text = withoutValues(result.statement?.string ?? '')
      STATEMENTS.asyncEnd.publish(context)
    },
    (error: { query?: string }) => {
      context.text = withoutValues(error.query ?? '')
      STATEMENTS.error.publish(Object.assign(context, { error }))
      STATEMENTS.asyncEnd.publish(context)
    },
  )
}

/** A setting has no parameters: what it is set to stands in its text. */
function withoutValues(text: string): string {
  return text.startsWith('set ') ? text.replace(/'(?:[^']|'')*'/g, '$1') : text
}
