// Acts of people on lines of a bank, one at a time in a process. Each holds a connection while it
// waits for the matchers, and a credit needs a second one while they wait for it.

let last: Promise<unknown> = Promise.resolve()

/** Runs the act once all acts before it are over. */
export function inLine<T>(act: () => Promise<T>): Promise<T> {
  const done = last.then(act)
  last = done.catch(() => {})
  return done
}
