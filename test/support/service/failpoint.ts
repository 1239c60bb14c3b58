// Kills its own process at one step of the service. `node --import` loads this file into a service,
// and FAILPOINT names the step (failingAt in process.ts). The service has no code for it.
import { STEPS, type StepContext, stepChannel } from '../../../src/values/diagnostics.ts'

const { FAILPOINT } = process.env
if (FAILPOINT !== undefined) arm(FAILPOINT)

/**
 * `before commit create_payout 3` kills before the third commit of a payout batch after a SIGUSR2.
 */
function arm(failpoint: string): void {
  const [when, wanted, name, times] = failpoint.split(' ')
  const step = STEPS.find(one => one === wanted)
  let left = Number(times)
  if (step === undefined || !(left >= 1)) throw new Error(`no such failpoint: ${failpoint}`)
  const { start, end, asyncEnd } = stepChannel(step)
  const after = step === 'decide' ? end : asyncEnd
  const reached = (message: unknown) => {
    const context = message as StepContext & { readonly error?: unknown }
    // A failed step does not count.
    if (context.name !== name || context.error !== undefined) return
    left -= 1
    // Nothing runs in this process after this call.
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
  process.once('SIGUSR2', () => (when === 'before' ? start : after).subscribe(reached))
}
