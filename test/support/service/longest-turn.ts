// Measures the longest turn of a service's event loop. `node --import` loads this file into a
// service; each SIGUSR2 begins or ends a measurement, and the log gets its result.
import { performance } from 'node:perf_hooks'

let watching = false
let most_ms = 0
let last = { busy_ms: 0, used_ms: 0 }

process.on('SIGUSR2', () => {
  watching = !watching
  if (watching) {
    most_ms = 0
    last = now()
    lookNextTurn()
    say({ msg: 'turns are measured' })
  } else {
    say({ msg: 'longest turn', most_ms })
  }
})

/** Schedules the next look, without keeping an idle event loop alive. */
function lookNextTurn(): void {
  setImmediate(look).unref()
}

/**
 * The turn took no longer than the wall clock says, which includes waiting for the processor, and
 * no longer than the processor time says, which advances in ticks of some milliseconds: takes the
 * smaller.
 */
function look(): void {
  if (!watching) return
  const before = last
  last = now()
  const turn_ms = Math.min(last.busy_ms - before.busy_ms, last.used_ms - before.used_ms)
  most_ms = Math.max(most_ms, turn_ms)
  lookNextTurn()
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
