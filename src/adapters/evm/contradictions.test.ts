// Which providers are told as wrong: those whose answer about something final is another than that of
// enough providers, and all of them where enough do not agree.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pickSeed } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import { quorumOf } from './agree.ts'
import { Contradictions } from './contradictions.ts'

const SEED = pickSeed()
const NAMES = ['one', 'two', 'three', 'four', 'five']
const ABOUT = 'the receipt of 0x1'

/** What each provider answers; null: it has none; 'fault': it gives no answer. */
const askedOf = (answers: readonly (string | null)[]) =>
  answers.map((says, i) => ({
    name: NAMES[i] ?? '',
    answer: says === 'fault' ? Promise.reject(new Error('timeout')) : Promise.resolve(says),
  }))

async function heard(answers: readonly (string | null)[], about = ABOUT) {
  const contradictions = new Contradictions(quorumOf(answers.length))
  await contradictions.hear(askedOf(answers), () => about)
  return contradictions
}

const TABLE: readonly (readonly [readonly (string | null)[], string])[] = [
  [['a', 'a', 'a'], ''],
  [['a', 'a', 'b'], `provider_wrong: three contradicts the others about ${ABOUT}`],
  [
    ['a', 'b', 'c'],
    `providers_disagree: one and two and three contradict each other about ${ABOUT}`,
  ],
  [['a', 'b'], `providers_disagree: one and two contradict each other about ${ABOUT}`],
  [['a', 'b', 'fault'], `providers_disagree: one and two contradict each other about ${ABOUT}`],
  [['a', 'a', null], ''],
  [['a', null, null], ''],
  [['a', 'fault'], ''],
  [['a', 'a', 'a', 'b', 'c'], `provider_wrong: four and five contradict the others about ${ABOUT}`],
]

for (const [answers, expected] of TABLE) {
  test(`answers ${answers.join(', ')} about something final: ${expected || 'nobody is told'}`, async () => {
    const troubles = (await heard(answers)).troubles()
    assert.equal(troubles.map(({ kind, message }) => `${kind}: ${message}`).join(), expected)
  })
}

test('answers that may still change: nobody is told', async () => {
  assert.deepEqual((await heard(['a', 'a', 'b'], '')).troubles(), [])
})

test('contradiction of ten minutes ago: not told any more', async () => {
  let now = 0
  const contradictions = new Contradictions(2, () => now)
  await contradictions.hear(askedOf(['a', 'a', 'b']), () => ABOUT)
  now = 600_000
  assert.equal(contradictions.troubles().length, 1)
  now = 600_001
  assert.deepEqual(contradictions.troubles(), [])
})

test('contradiction with nobody proved right: over once they agree; one of the proved is not', async () => {
  const contradictions = new Contradictions(2)
  const hear = (answers: readonly string[]) => contradictions.hear(askedOf(answers), () => ABOUT)
  await hear(['a', 'b'])
  assert.equal(contradictions.troubles().length, 1)
  await hear(['a', 'a'])
  assert.deepEqual(contradictions.troubles(), [])
  await hear(['a', 'a', 'b'])
  await hear(['a', 'a', 'a'])
  assert.equal(contradictions.troubles()[0]?.kind, 'provider_wrong')
})

test('a thousand contradictions: the newest of each provider is told', async () => {
  const contradictions = new Contradictions(2)
  for (let n = 0; n < 1_000; n++) {
    await contradictions.hear(askedOf(['a', 'a', 'b']), () => `the receipt of ${n}`)
  }
  const [trouble, ...others] = contradictions.troubles()
  assert.equal(trouble?.message, 'three contradicts the others about the receipt of 999')
  assert.deepEqual(others, [])
})

test(`answers at random: the few are counted where enough agree, SEED=${SEED}`, async () => {
  const says = fc.constantFrom('truth', 'truth', 'lie', 'other lie', null, 'fault')
  await fc.assert(
    fc.asyncProperty(fc.array(says, { minLength: 2, maxLength: 5 }), async answers => {
      const contradictions = await heard(answers)
      const votes = Map.groupBy(
        answers.filter(one => one !== 'fault'),
        one => one,
      )
      const [agreed] = [...votes].find(([, all]) => all.length >= quorumOf(answers.length)) ?? []
      const isOther = (one: string | null) => agreed !== undefined && one !== agreed
      assert.deepEqual(
        answers.map((_, i) => contradictions.count(NAMES[i] ?? '')),
        answers.map(one => (one !== 'fault' && isOther(one) ? 1 : 0)),
      )
    }),
    { numRuns: share(300, 5_000), seed: SEED },
  )
})
