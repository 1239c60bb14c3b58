// A short soak: half of the load that the installation can take, and a kill -9 each minute. In the
// long share. `npm run soak -- --minutes 60` is the whole one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { soak } from '../soak/run.ts'
import { share } from '../support/share.ts'

const MINUTES = share(0, 5)

test(`soak of ${MINUTES} minutes, a kill each minute: nothing lost, nothing twice, all told, only the alarms that should ring`, {
  skip: MINUTES === 0 && 'in the long share',
}, async t => {
  const { faults } = await soak(MINUTES, line => t.diagnostic(line))
  assert.deepEqual(faults, [])
})
