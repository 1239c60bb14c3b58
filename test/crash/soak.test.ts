// A short soak: half of the load that the installation can take, and a kill -9 each minute. In the
// long share. `npm run soak -- --minutes 60` is the whole one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { soak } from '../soak/run.ts'
import { promised, share } from '../support/share.ts'

const MINUTES = share(0, 5)
const OVER_WITHIN_MS = 60_000

test(`soak of ${MINUTES} minutes, a kill each minute: nothing lost, nothing twice, all told, only the alarms that should ring`, {
  skip: MINUTES === 0 && 'in the long share',
}, async t => {
  const { faults, over_ms } = await soak(MINUTES, line => t.diagnostic(line))
  assert.deepEqual(faults, [])
  promised(t, 'paid and told after the last answer', over_ms, OVER_WITHIN_MS)
})
