// corridor entity approve, reject, require-action: of one entity or several, of what was looked at,
// and what the operator is told.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { settleOnce } from '../../src/worker/settle-payouts.ts'
import { rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { startTestService } from '../support/service/service.ts'

const service = await startTestService()
const account = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
const cli = await openCli(service.database.url)
after(async () => {
  await cli.close()
  await service.close()
})

let count = 0

/** A new entity like no other. */
async function create(body: object = {}): Promise<string> {
  count += 1
  const unique = { type: 'individual', name: `Person ${count}`, email: `p${count}@x.example` }
  const { status, json, text } = await account.post('/v3/entity', { ...unique, ...body })
  assert.equal(status, 200, text)
  return json.data.id
}

async function submit(id: string): Promise<string> {
  assert.equal((await account.post(`/v3/entity/${id}/submit`, {})).status, 200)
  return id
}

async function read(id: string) {
  return (await account.get(`/v3/entity/${id}`)).json.data
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

test('entity approve, reject, require-action: old and new status in words and JSON, the reason kept', async () => {
  const id = await submit(await create({ name: 'Anna \u001b[2J' }))
  const { updated_at } = await read(id)
  const asked = await cli.run('entity', 'require-action', id, '--reason', ' Passport, please ')
  assert.deepEqual(
    [asked.code, asked.stdout],
    [0, `${id}  submitted → requires_action\n  as of ${updated_at}: Anna \\u001b[2J\n`],
  )
  assert.equal((await read(id)).approval_status_description, 'Passport, please')
  await submit(id)
  const resubmitted = await read(id)
  const approved = await cli.run('entity', 'approve', id, '--json')
  const base = { entity: id, name: resubmitted.name, payouts_held: 0 }
  assert.deepEqual(approved.json, {
    object: 'list',
    results: [
      { ...base, seen: resubmitted.updated_at, from: 'resubmitted', to: 'approved', reason: '' },
    ],
    refused: [],
  })
  const rejected = await cli.run('entity', 'reject', id, '--reason', 'Forged', '--json')
  const [{ seen, ...result }] = rejected.json.results
  assert.match(seen, TIME)
  assert.deepEqual(result, { ...base, from: 'approved', to: 'rejected', reason: 'Forged' })
  const { approval_status, approval_history } = await read(id)
  assert.equal(approval_status, 'rejected')
  assert.deepEqual(
    approval_history.map((step: { status: string; description: string }) => [
      step.status,
      step.description,
    ]),
    [
      ['pending', ''],
      ['submitted', ''],
      ['requires_action', 'Passport, please'],
      ['resubmitted', ''],
      ['approved', ''],
      ['rejected', 'Forged'],
    ],
  )
})

test('entity review, payouts held for it: says how many are released, failed, or stay held', async () => {
  const [id, other] = [await create(), await create()]
  const hold = async (entity: string, times: number) => {
    for (let i = 0; i < times; i++) {
      const payout = await account.post('/v3/payout', { ...localPayout, on_behalf_of: entity })
      assert.equal(payout.json.data?.status, 'compliance_hold', payout.text)
    }
  }
  await hold(id, 3)
  await hold(other, 1)
  const shown = await cli.run('entity', 'show', id)
  assert.match(shown.stdout, /\npayouts_held +3\n/)
  const last = async (...args: string[]) => {
    const lines = (await cli.run('entity', ...args)).stdout.trimEnd().split('\n')
    assert.equal(lines.length, 3)
    return lines[2]
  }
  assert.equal(await last('require-action', id), '  3 payouts held for it will stay held')
  assert.equal(
    await last('approve', id),
    '  3 payouts held for it will be released as soon as a service runs',
  )
  assert.equal(
    await last('reject', other),
    '  1 payout held for it will be failed as soon as a service runs',
  )
  // And so it is.
  await settleOnce(service.deps)
  const payouts = await service.database.owner<{ held_for: string; status: string }[]>`
    select held_for, status from payout_states where held_for <> '' or status = 'failed'`
  assert.deepEqual(
    payouts.map(({ held_for, status }) => [held_for, status]),
    [['', 'failed']],
  )
})

test('entity review that is refused: exit code 1, one line, nothing changed', async () => {
  const email = 'twice@x.example'
  const first = await create({ email })
  await cli.run('entity', 'reject', first)
  const second = await create({ email })
  const again = await cli.run('entity', 'reject', first)
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.equal(again.stderr, `corridor: Entity ${first} cannot go from rejected to rejected.\n`)
  const back = await cli.run('entity', 'approve', first)
  assert.deepEqual([back.code, back.stdout], [1, ''])
  assert.match(back.stderr, new RegExp(`^corridor: Entity ${first} cannot be approved: ${second}`))
  assert.equal(back.stderr.split('\n').length, 2)
  assert.equal((await read(first)).approval_status, 'rejected')
})

const NO_ENTITY = 'there is no entity ent_0; corridor entity list shows those that wait for review'

test('entity approve, several: each a line, those refused said, the others done, exit code 1', async () => {
  const [first, second, done, last] = [
    await create(),
    await create(),
    await create(),
    await create(),
  ]
  assert.equal((await cli.run('entity', 'approve', done, second)).code, 0)
  assert.equal((await cli.run('entity', 'require-action', second)).code, 0)
  const ran = await cli.run('entity', 'approve', first, 'ent_0', second, done, first, last)
  assert.equal(ran.code, 1)
  assert.deepEqual(
    ran.stdout.split('\n').filter(line => line.startsWith('ent_')),
    [
      `${first}  pending → approved`,
      `${second}  requires_action → approved`,
      `${last}  pending → approved`,
    ],
  )
  assert.equal(
    ran.stderr,
    `corridor: ${NO_ENTITY}\n` + `corridor: Entity ${done} cannot go from approved to approved.\n`,
  )
  const json = await cli.run('entity', 'reject', first, 'ent_0', last, '--json')
  assert.equal(json.code, 1)
  assert.deepEqual(
    json.json.results.map((r: { entity: string; to: string }) => [r.entity, r.to]),
    [
      [first, 'rejected'],
      [last, 'rejected'],
    ],
  )
  assert.deepEqual(json.json.refused, [
    { entity: 'ent_0', reason: 'not_found', message: NO_ENTITY },
  ])
})

test('entity show, its last lines: the reviews of what is shown, ready to run, refused once it has changed', async () => {
  const id = await submit(await create())
  const ready = async () => {
    const { stdout } = await cli.run('entity', 'show', id)
    const [heading, ...lines] = stdout.trimEnd().split('\n\n').at(-1)?.split('\n') ?? []
    assert.equal(heading, 'to review what is shown here:')
    return lines.map(line => line.trim().split(' ').slice(3))
  }
  const { updated_at } = await read(id)
  const lines = await ready()
  assert.deepEqual(lines, [
    ['approve', id, '--seen', updated_at],
    ['reject', id, '--seen', updated_at],
    ['require-action', id, '--seen', updated_at],
  ])
  const changed = await account.put(`/v3/entity/${id}`, { name: 'Somebody else' })
  assert.equal(changed.status, 200, changed.text)
  const before = await rowVersions(service.database.owner)
  for (const line of lines) {
    const { code, stdout, stderr } = await cli.run('entity', ...line)
    assert.deepEqual([code, stdout], [1, ''])
    const { updated_at: now } = changed.json.data
    assert.equal(stderr, `corridor: Entity ${id} has changed: its updated_at is ${now}.\n`)
  }
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const approve = (await ready())[0] ?? []
  const { code, stdout } = await cli.run('entity', ...approve)
  assert.deepEqual([code, stdout], [0, `${id}  submitted → approved\n`])
  assert.deepEqual(
    (await ready()).map(([name]) => name),
    ['reject', 'require-action'],
  )
})

test('entity approve --seen, the same time in another form: taken', async () => {
  const id = await create()
  const { updated_at } = await read(id)
  const seen = updated_at.replace('Z', '+00:00')
  assert.equal((await cli.run('entity', 'approve', id, '--seen', seen)).code, 0)
})
