// Measures how long one turn of a service's event loop takes: `node --import` loads it into a service,
// each SIGUSR2 begins or ends a measurement, whose end is a line of the log.
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

/** Not one that has the event loop turn while it has nothing to do. */
function lookNextTurn(): void {
  setImmediate(look).unref()
}

/**
 * On a machine with other work the clock says how long everybody waited, and the processor's time is
 * counted by ticks of some milliseconds: the turn took no longer than either.
 */
function look(): void {
  if (!watching) return
  const before = last
  last = now()
  const turn_ms = Math.min(last.busy_ms - before.busy_ms, last.used_ms - before.used_ms)
  most_ms = Math.max(most_ms, turn_ms)
  lookNextTurn()
}

/** By the clock, less what the loop has waited for something to do; and of the processor. */
function now() {
  const { user, system } = process.threadCpuUsage()
  const { idle } = performance.eventLoopUtilization()
  return { busy_ms: performance.now() - idle, used_ms: (user + system) / 1000 }
}

function say(what: object): void {
  process.stdout.write(`${JSON.stringify({ level: 30, time: Date.now(), ...what })}\n`)
}
