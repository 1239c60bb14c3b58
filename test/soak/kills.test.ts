// How a soak shortens the rules of alarms, and judges which of them rang.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { hasten, judgeRings, KILLS } from './kills.ts'

test('hasten: ranges and waits a hundredth as long, other numbers as they were', () => {
  const rule = 'expr: rate(x[5m]) > 300\n        for: 1h\n'
  assert.equal(hasten(rule, 100), 'expr: rate(x[3000ms]) > 300\n        for: 36000ms\n')
})

const killOf = (victim: string, at_s: number) => {
  const kill = KILLS.find(one => one.victim === victim)
  assert.ok(kill)
  return { kill, at_s }
}
const service = killOf('service', 5)

test('judgeRings, alarm rings within its kill: no fault', () => {
  assert.deepEqual(judgeRings([service], [{ alarm: 'CorridorProcessDown', at_s: 12 }]), [])
})

test('judgeRings, alarm rings too late, and another one for no kill: three faults', () => {
  const late = { alarm: 'CorridorProcessDown', at_s: 80 }
  assert.deepEqual(judgeRings([service], [late, { alarm: 'BooksDiffer', at_s: 9 }]), [
    'CorridorProcessDown did not ring when the service was killed at 5 s',
    'CorridorProcessDown rang at 80 s for no kill',
    'BooksDiffer rang at 9 s for no kill',
  ])
})

test('kills: each alarm that must or may ring is one of the rules', async t => {
  const rules = await readFile('deploy/prometheus/rules.yaml', 'utf8').catch(() => '')
  if (rules === '') return t.skip('there are no rules')
  for (const { rings, may } of KILLS) {
    for (const alarm of [...rings, ...may]) assert.ok(rules.includes(`alert: ${alarm}\n`), alarm)
  }
})
