// Measures the longest turn of a service's event loop. `node --import` loads this file into a
// service; each SIGUSR2 begins or ends a measurement, and the log gets its result.
import { performance } from 'node:perf_hooks'

let watching: NodeJS.Timeout | undefined
let most_ms = 0
let last = { busy_ms: 0, used_ms: 0 }

process.on('SIGUSR2', () => {
  if (watching === undefined) {
    most_ms = 0
    last = now()
    // Due in every turn that ends a millisecond after the last look. An immediate would look in
    // every turn, and keep a processor busy while there is nothing to do.
    watching = setInterval(look, 1).unref()
    say({ msg: 'turns are measured' })
  } else {
    look()
    clearInterval(watching)
    watching = undefined
    say({ msg: 'longest turn', most_ms })
  }
})

/**
 * The turn took no longer than the wall clock says, which includes waiting for the processor, and
 * no longer than the processor time says, which advances in ticks of some milliseconds: takes the
 * smaller.
 */
function look(): void {
  const before = last
  last = now()
  const turn_ms = Math.min(last.busy_ms - before.busy_ms, last.used_ms - before.used_ms)
  most_ms = Math.max(most_ms, turn_ms)
}

/** Wall-clock time without the loop's idle time, and processor time, in milliseconds. */
function now() {
  const { user, system } = process.threadCpuUsage()
  const { idle } = performance.eventLoopUtilization()
  return { busy_ms: performance.now() - idle, used_ms: (user + system) / 1000 }
}

function say(what: object): void {
  process.stdout.write(`${JSON.stringify({ level: 30, time: Date.now(), ...what })}\n`)
}
