// corridor entity: the operator's queue, records and explanations; approve, reject and require-action of one
// entity or several, of what was looked at, and what the operator is told.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { until } from '../support/service/process.ts'
import { review } from '../support/service/review.ts'
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
async function create(body: object = {}, client = account): Promise<string> {
  count += 1
  const unique = { type: 'individual', name: `Person ${count}`, email: `p${count}@x.example` }
  const { status, json, text } = await client.post('/v3/entity', { ...unique, ...body })
  assert.equal(status, 200, text)
  return json.data.id
}

async function submit(id: string, client = account): Promise<string> {
  assert.equal((await client.post(`/v3/entity/${id}/submit`, {})).status, 200)
  return id
}

async function read(id: string) {
  return (await account.get(`/v3/entity/${id}`)).json.data
}

const idsOf = (json: { results: { id: string }[] }) => json.results.map(({ id }) => id)

test('corridor entity list: entities in review of all accounts, longest unchanged first, marked if more exist', async () => {
  const empty = await cli.run('entity', 'list')
  assert.deepEqual([empty.code, empty.stdout], [0, 'nothing waits for review\n'])
  const other = await service.openAccount({ currencies: ['USD'] })
  const ids = [await create(), await create({}, other), await create()] as const
  await create()
  const in_order = [ids[2], ids[0], ids[1]] as const
  for (const id of in_order) await submit(id, id === ids[1] ? other : account)
  const [all, two, of_other] = await Promise.all([
    cli.run('entity', 'list', '--json'),
    cli.run('entity', 'list', '--json', '--limit', '2'),
    cli.run('entity', 'list', '--json', '--account', other.account.account_id),
  ])
  assert.deepEqual([idsOf(all.json), all.json.has_more], [in_order, false])
  assert.deepEqual([idsOf(two.json), two.json.has_more], [in_order.slice(0, 2), true])
  assert.deepEqual(idsOf(of_other.json), [ids[1]])
  // Any account's is found by its id alone.
  const shown = await cli.run('entity', 'show', ids[1])
  assert.match(shown.stdout, new RegExp(`\nof account ${other.account.account_id} `))
  const { account_id, payouts_held, screening, ...entity } = all.json.results[0]
  assert.deepEqual([account_id, payouts_held, screening], [account.account.account_id, 0, null])
  assert.deepEqual(entity, await read(ids[2]))
  const words = await cli.run('entity', 'list', '--limit', '2')
  assert.match(
    words.stdout,
    new RegExp(
      '^entity +account +unchanged  payouts held  status +type +name\n' +
        `${ids[2]}  ${account_id}  \\d+s +0 +submitted  individual  Person 3\n` +
        `${ids[0]}[^\n]+  submitted  individual  Person 1\n\nand more: `,
    ),
  )
})

async function hold(entity: string, times: number, client = account): Promise<void> {
  for (let i = 0; i < times; i++) {
    const payout = await client.post('/v3/payout', { ...localPayout, on_behalf_of: entity })
    assert.equal(payout.json.data?.status, 'compliance_hold', payout.text)
  }
}

test('corridor entity list, held payouts of an entity not submitted: entity listed with those in review, payouts counted', async () => {
  const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const other = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  const [untouched, asked, submitted, idle, approved] = [
    await create({}, client),
    await create({}, client),
    await create({}, client),
    await create({}, client),
    await create({}, client),
  ]
  const elsewhere = await create({}, other)
  await submit(submitted, client)
  await review(service, client, asked, 'requires_action')
  for (const [id, times] of [
    [approved, 1],
    [asked, 2],
    [untouched, 3],
    [submitted, 1],
  ] as const) {
    await hold(id, times, client)
  }
  await hold(elsewhere, 1, other)
  // Its payout waits for a service alone.
  await review(service, client, approved, 'approved')
  const of_account = ['--json', '--account', client.account.account_id]
  const [all, of_other, one, pending] = await Promise.all([
    cli.run('entity', 'list', ...of_account),
    cli.run('entity', 'list', '--json', '--account', other.account.account_id),
    cli.run('entity', 'list', ...of_account, '--limit', '1'),
    cli.run('entity', 'list', ...of_account, '--status', 'pending'),
  ])
  const heldOf = (json: { results: { id: string; payouts_held: number }[] }) =>
    json.results.map(({ id, payouts_held }) => [id, payouts_held])
  assert.deepEqual(heldOf(all.json), [
    [untouched, 3],
    [submitted, 1],
    [asked, 2],
  ])
  assert.deepEqual(heldOf(of_other.json), [[elsewhere, 1]])
  assert.deepEqual([heldOf(one.json), one.json.has_more], [[[untouched, 3]], true])
  assert.deepEqual(heldOf(pending.json), [
    [idle, 0],
    [untouched, 3],
  ])
  const words = await cli.run('entity', 'list', '--limit', '1000')
  assert.match(words.stdout, new RegExp(`\n${untouched} [^\n]+ 3 +pending +individual  `))
  assert.ok(words.stdout.includes(elsewhere) && !words.stdout.includes(idle))
})

test('corridor entity list, many entities and held payouts: only index look-ups', async () => {
  const { owner } = service.database
  const [{ account_id } = {}] = await owner<{ account_id?: string }[]>`
    select account_id from accounts limit 1`
  await owner`
    insert into entities (made_by, account_id, id, type, on_behalf_of, reference_id, details,
      approval_status, approval_history, created_at, updated_at)
    select 'key_1', ${account_id ?? ''}, 'ent_many' || n, 'individual', '', '', '{"name":"Many"}',
      case when n % 100 = 0 then 'submitted' else 'pending' end, '[]', now(), now()
    from generate_series(1, 5000) n`
  await owner`
    insert into holds select ${account_id ?? ''}, 'ent_many' || n % 125, 'pot_' || n
    from generate_series(1, 5000) n`
  try {
    await owner`analyze entities, holds`
    const before = await scans()
    const { json } = await cli.run('entity', 'list', '--json', '--limit', '1000')
    const many = json.results.filter(({ id }: { id: string }) => id.startsWith('ent_many'))
    assert.equal(many.length, 50 + 123)
    const index = 'entities_in_review'
    await until('counted', async () => (await scans()).by[index] !== before.by[index])
    assert.deepEqual((await scans()).whole, before.whole)
  } finally {
    await owner`delete from holds where entity_id like 'ent_many%'`
    await owner`delete from entities where id like 'ent_many%'`
  }
})

/** How often tables were read from end to end, and indexes were used. */
async function scans() {
  const { owner } = service.database
  await owner`select pg_stat_force_next_flush()`
  const whole = await owner<{ relname: string; seq_scan: bigint }[]>`
    select relname, seq_scan from pg_stat_user_tables where relname in ('entities', 'holds')
    order by 1`
  const by = await owner<{ name: string; times: bigint }[]>`
    select indexrelname as name, idx_scan as times from pg_stat_user_indexes
    where relname = 'entities'`
  return { whole: [...whole], by: Object.fromEntries(by.map(row => [row.name, row.times])) }
}

test('corridor entity list --status: only this status; in review oldest first, others newest first', async () => {
  const ids = [await create(), await create(), await create()]
  const untouched = [await create(), await create()]
  for (const id of ids) {
    await review(service, account, id, 'requires_action')
    if (id !== ids[2]) await submit(id)
  }
  const [resubmitted, requires_action, pending] = await Promise.all(
    ['resubmitted', 'requires_action', 'pending'].map(status =>
      cli.run('entity', 'list', '--json', '--status', status),
    ),
  )
  assert.deepEqual(idsOf(resubmitted?.json), ids.slice(0, 2))
  assert.deepEqual(idsOf(requires_action?.json).slice(0, 1), ids.slice(2))
  assert.deepEqual(idsOf(pending?.json).slice(0, 2), untouched.toReversed())
  const none = await cli.run('entity', 'list', '--status', 'rejected')
  assert.deepEqual([none.code, none.stdout], [0, 'no entity is rejected\n'])
})

test("corridor entity show: every set field by name, and the history; JSON equal to the API's", async () => {
  const id = await create({
    name: 'Anna \u001b]0;owned\u0007\u009b2J \u202eexe.\u200dfin',
    registration_address: { line1: 'Lindenstraße 4', country: 'de' },
    representatives: [{ first_name: 'Mei', roles: ['director', 'owner'] }],
    metadata: { 'a\nb': '1' },
  })
  await cli.run('entity', 'require-action', id, '--reason', 'Send proof')
  const [words, json] = await Promise.all([
    cli.run('entity', 'show', id),
    cli.run('entity', 'show', id, '--json'),
  ])
  assert.deepEqual(json.json, await read(id))
  assert.deepEqual([words.code, words.stderr], [0, ''])
  const [first, second, , ...lines] = words.stdout.split('\n')
  assert.equal(first, `${id}  individual entity, requires_action`)
  assert.equal(second, `of account ${account.account.account_id}  Test`)
  const text = lines.join('\n')
  assert.match(text, /^name +Anna \\u001b\]0;owned\\u0007\\u009b2J \\u202eexe\.\u200dfin\nemail /)
  assert.match(text, /\nregistration_address\n {2}line1 {4}Lindenstraße 4\n {2}country {2}DE\n/)
  assert.match(
    text,
    /\nrepresentatives\n {2}1\.\n {4}first_name {2}Mei\n {4}roles\n {6}1\. {2}director\n {6}2\. {2}owner\n/,
  )
  assert.match(text, /\nmetadata\n {2}a\\u000ab {2}1\n/)
  const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ'
  assert.match(
    text,
    new RegExp(
      `\n\napproval +status +description\n${time} {2}pending\n${time} {2}requires_action {2}Send proof\n\n`,
    ),
  )
  assert.doesNotMatch(text, /tax_id|documents|vertical/)
  // Nothing that a terminal obeys, in JSON neither.
  for (const { stdout } of [words, json]) assert.doesNotMatch(stdout, /[^\P{Cc}\n]|\u202e/u)
})

test('corridor entity explain: matches rule by rule, without the entity itself, text and JSON, nothing written', async () => {
  const email = 'same@x.example'
  const rejected = await create({ email })
  await review(service, account, rejected, 'rejected')
  const live = await create({ email })
  const before = await rowVersions(service.database.owner)
  const [of_live, of_rejected, json] = await Promise.all([
    cli.run('entity', 'explain', live),
    cli.run('entity', 'explain', rejected),
    cli.run('entity', 'explain', rejected, '--json'),
  ])
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const { account_id } = account.account
  const blocks = of_live.stdout.split('\n\n')
  assert.deepEqual(blocks.slice(0, 4), [
    `${live}  individual entity, pending\nof account ${account_id}`,
    'No duplicate: only rejected ones are the same.',
    '1. email: nothing is the same\n' +
      `   email                  ${email}\n` +
      `   passed over, rejected  ${rejected}`,
    '2. national_identification_number: takes no part\n' +
      '   national_identification_number.type    (missing)\n' +
      '   national_identification_number.number  (missing)',
  ])
  assert.match(blocks[4] ?? '', /^3\. name_and_address: takes no part\n {3}name {30}person \d+\n/)
  assert.match(blocks[4] ?? '', /registration_address\.city {9}\(missing\)\n/)
  assert.match(blocks[4] ?? '', /registration_address\.state {8}\(not set\)\n/)
  assert.deepEqual(of_rejected.stdout.split('\n').slice(0, 8), [
    `${rejected}  individual entity, rejected`,
    `of account ${account_id}`,
    '',
    `The same as ${live} by the rule email.`,
    'While that one is not rejected, this one cannot be approved.',
    '',
    `1. email: ${live} is the same`,
    `   email  ${email}`,
  ])
  const { object, duplicate, entity, rule, rules } = json.json
  assert.deepEqual(
    [object, duplicate, entity, rule, rules.length],
    ['entity_duplicate_check', true, live, 'email', 3],
  )
})

test('corridor entity approve, reject, require-action: old and new status in text and JSON, reason stored', async () => {
  const id = await submit(await create({ name: 'Anna \u001b[2J' }))
  const asked = await cli.run('entity', 'require-action', id, '--reason', ' Passport, please ')
  assert.deepEqual(
    [asked.code, asked.stdout],
    [0, `${id}  submitted → requires_action: Anna \\u001b[2J\n`],
  )
  assert.equal((await read(id)).approval_status_description, 'Passport, please')
  await submit(id)
  const resubmitted = await read(id)
  const approved = await cli.run('entity', 'approve', id, '--json')
  const base = { entity: id, name: resubmitted.name, payouts_held: 0 }
  assert.deepEqual(approved.json, { ...base, from: 'resubmitted', to: 'approved', reason: '' })
  const rejected = await cli.run('entity', 'reject', id, '--reason', 'Forged', '--json')
  const expected = { ...base, from: 'approved', to: 'rejected', reason: 'Forged' }
  assert.deepEqual(rejected.json, expected)
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

test('corridor entity review, held payouts: counts released, failed and still held ones', async () => {
  const [id, other] = [await create(), await create()]
  await hold(id, 3)
  await hold(other, 1)
  const shown = await cli.run('entity', 'show', id)
  assert.match(shown.stdout, /\npayouts_held +3\n/)
  const last = async (...args: string[]) => {
    const lines = (await cli.run('entity', ...args)).stdout.trimEnd().split('\n')
    assert.equal(lines.length, 2)
    return lines[1]
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
    select held_for, status from payout_states
    where account_id = ${account.account.account_id} and (held_for <> '' or status = 'failed')`
  assert.deepEqual(
    payouts.map(({ held_for, status }) => [held_for, status]),
    [['', 'failed']],
  )
})

test('corridor entity review refused: exit code 1, one line, nothing changed', async () => {
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

test('corridor entity show, last lines: review commands for this version, refused after a change', async () => {
  const id = await submit(await create())
  const ready = async () => {
    const { stdout } = await cli.run('entity', 'show', id)
    const [heading, ...lines] = stdout.trimEnd().split('\n\n').at(-1)?.split('\n') ?? []
    assert.equal(heading, 'to review what is shown here:')
    return lines.map(line => line.trim().split(' ').slice(2))
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
  // The same time in another form.
  const approve = ((await ready())[0] ?? []).map(word => word.replace(/(?<=\.\d{6})Z$/, '+00:00'))
  const { code, stdout } = await cli.run('entity', ...approve)
  assert.deepEqual([code, stdout], [0, `${id}  submitted → approved: Somebody else\n`])
  assert.deepEqual(
    (await ready()).map(([name]) => name),
    ['reject', 'require-action'],
  )
})
