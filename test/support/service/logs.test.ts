// Checks the search of a run's logs, metrics and traces: it finds a planted secret in each of them,
// and reports a missing kind.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { bankBeneficiary, fullEntity } from '../given/bodies.ts'
import { CANARY, faultsOfRun } from './logs.ts'

const line = (more: object) =>
  `${JSON.stringify({ level: 30, time: 1, msg: 'corridor is listening', ...more })}\n`

/** Its digits are those of a registration number. */
const BY_CHANCE = `0c60${fullEntity.registration_number}40e-4a19-a0df-d83169f46149`

const CLEAN: Readonly<Record<string, string>> = {
  '1-0.log': line({ account_id: 'acc_7k2m9x4q' }),
  '1-0.metrics': 'corridor_rail_reports_total 1\n',
  '1-0.traces': '{"resourceSpans":[]}\n',
}

/** The faults of a run that has kept these files. */
async function faultsOf(files: Readonly<Record<string, string>>, databaseLog = '', whole = true) {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-kept-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return await faultsOfRun({ folder, databaseLog, secrets: ['of this run'], whole })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('logs of a run, clean: no fault', async () => {
  assert.deepEqual(await faultsOf(CLEAN, 'LOG:  checkpoint complete\n'), [])
  const by_chance = line({ request_id: BY_CHANCE })
  assert.deepEqual(await faultsOf({ ...CLEAN, '1-0.log': by_chance }), [])
  const [fault = ''] = await faultsOf({
    ...CLEAN,
    '1-0.log': line({ number: fullEntity.registration_number }),
  })
  assert.match(fault, /^1-0\.log: /)
})

const SECRET = `corridor_test_${'x'.repeat(49)}`
test('logs of a run, a secret, name or marked text in one line: found in each kind of log', async () => {
  for (const text of [SECRET, bankBeneficiary.name, 'of this run', CANARY]) {
    for (const [name, text_before] of Object.entries(CLEAN)) {
      const added = name.endsWith('.log') ? line({ of: text }) : `${text}\n`
      const faults = await faultsOf({ ...CLEAN, [name]: `${text_before}${added}${text_before}` })
      assert.equal(faults.length, 1, faults.join('\n'))
      assert.ok(faults[0]?.startsWith(`${name}: `) && faults[0].includes(text), faults.join())
    }
    const errors = await faultsOf({ ...CLEAN, '1-2.errors': text })
    assert.equal(errors.length, 1, 'what a process has said on its other output')
  }
})

test("log of PostgreSQL with a customer's name: found", async () => {
  for (const text of [bankBeneficiary.name, CANARY, 'of this run']) {
    const faults = await faultsOf(CLEAN, `LOG:  x\nDETAIL:  Failing row contains (${text}).\n`)
    assert.equal(faults.length, 1, faults.join('\n'))
  }
})

test('log line that is no JSON event: found', async () => {
  const faults = await faultsOf({ ...CLEAN, '1-0.log': `no event\n${CLEAN['1-0.log']}` })
  assert.deepEqual(faults, ['1-0.log: no event: no event'])
})

test('full run without logs, metrics or traces: a fault; partial run: no fault', async () => {
  for (const kind of ['log', 'metrics', 'traces'] as const) {
    const { [`1-0.${kind}` as const]: _, ...rest } = CLEAN
    const wanted = [`nothing was kept: ${kind}`]
    assert.deepEqual(await faultsOf(rest), wanted)
    assert.deepEqual(await faultsOf({ ...rest, [`2-0.${kind}`]: '' }), wanted)
    assert.deepEqual(await faultsOf(rest, '', false), [])
  }
})
