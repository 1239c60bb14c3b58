// The acts of people that take the turn of a nostro's matchers. Each holds one of the pool's two
// connections while it waits for the turn, and a credit books on the other one. Two that wait would
// leave none for the credit that they wait for.

let last: Promise<unknown> = Promise.resolve()

/** Runs the act once all such acts before it, in this process, are over. */
export function oneAtATime<T>(act: () => Promise<T>): Promise<T> {
  const done = last.then(act)
  last = done.catch(() => {})
  return done
}
