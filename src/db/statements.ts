// Publishes each statement on the channel STATEMENTS, from its sending to its answer: its text with
// placeholders, never its parameters.
import { currentCourse, STATEMENTS, type StatementContext } from '../steps.ts'

type Call = (...parameters: unknown[]) => unknown

/** A query of postgres.js. Fragments of statements are queries too, which nobody awaits. */
type Query = Record<'then' | 'catch' | 'finally', Call>

/**
 * Wraps a pool or transaction so that its statements are published; returns it as it is while
 * nobody listens. The `debug` option of postgres.js does not report the end of a statement, and
 * adds parameters to errors, which are logged.
 */
export function watched<S extends CallableFunction>(sql: S): S {
  if (!STATEMENTS.hasSubscribers) return sql
  return new Proxy(sql, {
    apply: (target, self, parameters) => watchQuery(Reflect.apply(target, self, parameters)),
    get(target, name, receiver) {
      const member = Reflect.get(target, name, receiver)
      if (name !== 'unsafe') return member
      return (...parameters: unknown[]) =>
        watchQuery(Reflect.apply(member as Call, target, parameters))
    },
  })
}

/**
 * Publishes a query when it is first awaited, which sends it. Ignores queries outside any course.
 */
function watchQuery(made: unknown): unknown {
  const within = currentCourse()
  if (within === undefined || !(made instanceof Promise)) return made
  const query = made as unknown as Query
  let sent = false
  for (const way of ['then', 'catch', 'finally'] as const) {
    const wait = query[way]
    query[way] = (...parameters) => {
      if (!sent) {
        sent = true
        publish({ within, text: '' }, made)
      }
      return Reflect.apply(wait, query, parameters)
    }
  }
  return query
}

function publish(context: StatementContext, query: Promise<unknown>): void {
  STATEMENTS.start.publish(context)
  // The query's own `then` would publish again.
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

/** Hides the value of a SET statement, which has no parameters. */
function withoutValues(text: string): string {
  return text.startsWith('set ') ? text.replace(/'(?:[^']|'')*'/g, '$1') : text
}
