// What screening holds is compared again when the lists change: what is new is added to it, what was
// found stays, and nothing that a person has not seen is cleared, whatever comes at the same moment.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { transactConfined } from '../../src/db/confine.ts'
import type { RailPayout } from '../../src/rail/rail.ts'
import { verify } from '../../src/verify/run.ts'
import { screenPayouts } from '../../src/worker/screen-payouts.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule, approve } from '../support/service/approvals.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { railOf, report, settleAll } from '../support/service/settling.ts'
import { readUnList, takeUnList } from '../support/service/un-list.ts'

const REASON = ['--reason', 'Born in another year.']
/** At once. */
const RACERS = 12

/** Eric Badege is on it once, and twice. */
let un: string
let twice: string
let service: TestService
let account: Client
let id: string
let cli: Cli
/** Whom the rail was handed of the account. */
let paid: string[]
before(async () => {
  un = await readUnList()
  const [him = ''] = /<INDIVIDUAL>[\s\S]*?<\/INDIVIDUAL>/.exec(un) ?? []
  const other = him.replace('CDi.001', 'CDi.902').replace('6907993', '6907994')
  twice = un.replace(him, () => him + other)
  assert.ok(twice.includes('CDi.902'))
  service = await startTestService({ simulator_delay_ms: 0 })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'first' })
})
beforeEach(async () => {
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
  id = account.account.account_id
  paid = []
})
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  await cli.close()
  await service.close()
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
})

async function listIs(text: string): Promise<void> {
  await takeUnList(service, text, { reason: 'A test.' })
  // What is read already may have begun before the list came.
  for (let i = 0; i < 2; i++) await service.deps.lists.read()
}

async function pay(amount = 1000): Promise<string> {
  const beneficiary_details = {
    ...localPayout.beneficiary_details,
    type: 'individual',
    name: 'Eric Badege',
  }
  const made = await account.post('/v3/payout', { ...localPayout, amount, beneficiary_details })
  assert.equal(made.status, 200, made.text)
  return made.json.data.id
}

/** One round of the worker that compares. */
async function compare(): Promise<void> {
  service.deps.screening.again()
  await screenPayouts(service.deps)
}

async function settle(): Promise<void> {
  const submit = async (payout: RailPayout) => {
    if (payout.account_id === id) paid.push(payout.id)
    return { ...report('succeeded'), ask_again_in_ms: null }
  }
  const rail = railOf({ submit, inquire: async () => undefined })
  await settleAll(service, rail)
  await settleAll(service, rail)
}

async function shown(payout: string) {
  const { json, stderr } = await cli.run('screening', 'show', payout, '--json')
  assert.ok(json, stderr)
  return json as {
    screening: string
    digest: string
    matches: {
      entry_id: string
      state: string
      score: number
      found_at: string
      pieces: object[]
    }[]
  }
}

async function entriesOf(payout: string): Promise<string[]> {
  const { matches } = await shown(payout)
  return matches.map(({ entry_id, state }) => `${entry_id} ${state}`).sort()
}

async function decided(act: 'clear' | 'confirm', payout: string, ...more: string[]) {
  const ran = await cli.run('screening', act, payout, ...REASON, ...more)
  assert.equal(ran.code, 0, ran.stderr)
}

test('held, and a list brings another entry like it: added with its score, and cleared only by who has seen it', async () => {
  await listIs(un)
  const payout = await pay()
  await compare()
  const [first] = (await shown(payout)).matches
  await listIs(twice)
  await compare()
  assert.deepEqual(await entriesOf(payout), ['CDi.001 open', 'CDi.902 open'])
  const { matches, digest } = await shown(payout)
  assert.deepEqual(
    matches.find(({ entry_id }) => entry_id === 'CDi.001'),
    first,
    'what was found before stays as it was',
  )
  for (const { score, pieces } of matches) assert.ok(score >= 890 && pieces.length > 0)
  const blind = await cli.run('screening', 'clear', payout, ...REASON)
  assert.match(blind.stderr, /There are new matches of Payout pot_\w+: look at it again/)
  const wrong = await cli.run('screening', 'clear', payout, ...REASON, '--digest', '0'.repeat(64))
  assert.match(wrong.stderr, /look at it again/)
  await settle()
  assert.deepEqual(paid, [])
  await decided('clear', payout, '--digest', digest)
  await settle()
  assert.deepEqual(paid, [payout])
})

test('confirmed, and a list brings another entry: added, and it stays blocked', async () => {
  await listIs(un)
  const payout = await pay()
  await decided('confirm', payout)
  await listIs(twice)
  await compare()
  assert.deepEqual(await entriesOf(payout), ['CDi.001 confirmed', 'CDi.902 open'])
  assert.equal((await shown(payout)).screening, 'confirmed')
  await settle()
  assert.deepEqual(paid, [])
})

test('a list with nothing new: nothing is added, and no list ends the hold', async () => {
  await listIs(un)
  const payout = await pay()
  await compare()
  const before = await shown(payout)
  for (const text of [un, un.replace('BADEGE', 'NOBODY').replace('CDi.001', 'CDi.903')]) {
    await listIs(text)
    await compare()
    const { matches, screening } = await shown(payout)
    const [was] = before.matches
    assert.deepEqual([matches[0]?.found_at, screening], [was?.found_at, 'open'])
  }
  await settle()
  assert.deepEqual(paid, [])
})

test('made and held by older lists than the present: compared with these as well', async () => {
  await listIs(un)
  await takeUnList(service, twice)
  const payout = await pay()
  await compare()
  assert.deepEqual(await entriesOf(payout), ['CDi.001 open', 'CDi.902 open'])
})

test('whatever code does: no hold ends while something of it is not cleared', async () => {
  await listIs(un)
  const payout = await pay()
  const end = `update open_payouts set screening = 'waits' where id = '${payout}'`
  await assert.rejects(
    transactConfined(service.deps.sql, [id], async tx => void (await tx.unsafe(end))),
    /nobody has cleared/,
  )
  await assert.rejects(service.database.owner.unsafe(end), /nobody has cleared/)
  await decided('confirm', payout)
  await assert.rejects(service.database.owner.unsafe(end), /nobody has cleared/)
})

test(`${RACERS} payouts, a list import, clears and approvals at once: nobody is paid whose new match nobody has seen`, async () => {
  await addPerson(service, { user: 'ann', roles: [[id, 'approver']] })
  await addApprovalRule(service, { account_id: id })
  await service.deps.reference.refresh()
  await listIs(un)
  const payouts: string[] = []
  for (let i = 0; i < RACERS; i += 1) payouts.push(await pay(1000 + i))
  const rounds = async () => {
    for (let i = 0; i < 4; i += 1) {
      await compare()
      await settle()
    }
  }
  const imported = listIs(twice)
  const approving = payouts.map(async payout_id => {
    // Before the list is there, one that is cleared may be paid.
    await imported
    return approve(service, { account_id: id, payout_id, user: 'ann' })
  })
  const clearing = payouts.map(payout => cli.run('screening', 'clear', payout, ...REASON))
  await Promise.all([rounds(), imported.then(rounds), ...clearing, ...approving])
  await rounds()
  assert.deepEqual(paid, [])
  for (const payout of payouts) {
    const entries = await entriesOf(payout)
    assert.ok(entries.includes('CDi.902 open'), `${payout}: ${entries}`)
  }
  for (const payout of payouts) {
    await decided('clear', payout, '--digest', (await shown(payout)).digest)
  }
  await rounds()
  assert.deepEqual(paid.toSorted(), payouts.toSorted(), 'each once')
})
