// An account that is frozen while clients pay from it through two processes: once the freeze has
// returned, no process takes a payout, and no journal of one follows.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { localPayout } from '../support/given/bodies.ts'
import { setState } from '../support/service/operate.ts'
import { startSideBySide } from '../support/service/side-by-side.ts'
import { share } from '../support/share.ts'

const CLIENTS = 16
const FREEZES = share(2, 5)

const all = await startSideBySide(2)
after(() => all.close())

test(`corridor account freeze under ${CLIENTS} clients of two processes, ${FREEZES} times: effective at once`, async () => {
  const { service } = all
  const by = await all.open({ currencies: ['USD'], fund: { USD: 10n ** 12n } })
  const { account_id } = by(0).account
  const debits = async () => {
    const [row] = await service.database.owner<{ n: bigint }[]>`
      select count(*) as n from journals where account_id = ${account_id} and kind = 'payout'`
    return row?.n ?? 0n
  }
  let taken = 0
  for (let round = 0; round < FREEZES; round++) {
    let stopped = false
    let frozen = false
    const tooLate: string[] = []
    const underWay = Promise.withResolvers<void>()
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      while (!stopped) {
        const asked_after = frozen
        const answer = await by(i).post('/v3/payout', { ...localPayout, amount: 1 })
        if (answer.status === 200) {
          taken += 1
          underWay.resolve()
          if (asked_after) tooLate.push(answer.json.data.id)
        } else {
          assert.equal(answer.json.errors[0].reason, 'account_frozen', answer.text)
        }
      }
    })
    await underWay.promise
    await setState(service, by(0), 'frozen')
    frozen = true
    const then = await debits()
    await new Promise(resolve => setTimeout(resolve, 200))
    stopped = true
    await Promise.all(clients)
    assert.deepEqual(tooLate, [])
    assert.equal(await debits(), then)
    assert.equal(then, BigInt(taken))
    await setState(service, by(0), 'active')
  }
})
