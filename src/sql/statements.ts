// Publishes each statement on the channel STATEMENTS when it is sent and when it is answered. A
// message has the text with placeholders, never the parameters.
import { currentCourse, STATEMENTS } from '../values/diagnostics.ts'

/** Publishes a statement of a course while the channel has subscribers. Returns its answer. */
export function publishStatement<T>(text: () => string, answer: Promise<T>): Promise<T> {
  const within = STATEMENTS.hasSubscribers ? currentCourse() : undefined
  if (within === undefined) return answer
  const context = { within, text: '' }
  STATEMENTS.start.publish(context)
  answer.then(
    () => {
      context.text = withoutValues(text())
      STATEMENTS.asyncEnd.publish(context)
    },
    (error: unknown) => {
      context.text = withoutValues(text())
      STATEMENTS.error.publish(Object.assign(context, { error }))
      STATEMENTS.asyncEnd.publish(context)
    },
  )
  return answer
}

/** Hides the value of a SET statement, which has no parameters. */
function withoutValues(text: string): string {
  return text.startsWith('set ') ? text.replace(/'(?:[^']|'')*'/g, '$1') : text
}
