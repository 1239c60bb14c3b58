// Rails as rows: corridor rail, and how a process opens, pauses and closes adapters without a restart.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRails, RAIL_KINDS } from '../../src/adapters/registry.ts'
import { countWaiting } from '../../src/app/worker/counts.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { type OpenRail, type RailRow, railKind } from '../../src/rails/kind.ts'
import type { RailReport } from '../../src/rails/rail.ts'
import { insertRail, updatePause, updateRail } from '../../src/rails/row-store.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { localPayout } from '../support/given/bodies.ts'
import { railOf, report } from '../support/service/settling.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const { service, cli } = await openWithCli({}, { CORRIDOR_USER: 'anna' })

const BANK: RailRow = {
  name: 'bank',
  kind: 'connector',
  config: { url: 'https://bank.example' },
  secret: 'never shown to anybody',
  paused_reason: '',
}

/** Opens rails that say what was done to them. */
function telling() {
  const told: string[] = []
  const kind = railKind<{ url: string }>({
    name: 'connector',
    description: 'for tests',
    example: BANK.config,
    secret: 'anything',
    readConfig(json) {
      const { url } = json as { url?: string }
      return url === undefined ? { messages: ['url: must be given'] } : { value: { url } }
    },
    open({ name, config, secret }, { isPaused }): OpenRail {
      told.push(`open ${name} ${config.url} ${secret}`)
      return {
        ...railOf({ submit: async () => report(isPaused() ? 'failed' : 'succeeded') }),
        name,
        start: () => told.push(`start ${name}`),
        async close() {
          told.push(`close ${name}`)
        },
      }
    },
  })
  return { told, kind }
}

function openRails(rows: () => readonly RailRow[], settle = true) {
  const { told, kind } = telling()
  const config = { settle, simulator_delay_ms: 0 }
  const reference = { current: () => ({ rails: rows() }) }
  const rails = new OpenRails({ ...service.deps, reference, kinds: [kind], config })
  return { told, rails }
}

test('rail adapters, row added, paused, changed or removed: adapter opened once, paused, reopened, closed', async () => {
  let rows: readonly RailRow[] = []
  const { told, rails } = openRails(() => rows)
  assert.deepEqual([...rails.keys()], ['simulator'])
  rows = [BANK]
  assert.deepEqual([...rails.keys()], ['simulator', 'bank'])
  assert.equal(rails.get('bank')?.name, 'bank')
  rows = [{ ...BANK }]
  assert.ok(rails.has('bank'))
  const opened = ['open bank https://bank.example never shown to anybody', 'start bank']
  assert.deepEqual(told.splice(0), opened)
  rows = [{ ...BANK, paused_reason: 'holiday' }]
  assert.deepEqual([rails.has('bank'), rails.get('bank')], [false, undefined])
  rows = [BANK]
  assert.ok(rails.has('bank'))
  assert.deepEqual(told.splice(0), [], 'a pause neither closes nor opens')
  rows = [{ ...BANK, secret: 'another' }]
  assert.ok(rails.has('bank'))
  assert.deepEqual(told.splice(0), [
    'close bank',
    'open bank https://bank.example another',
    'start bank',
  ])
  rows = []
  assert.ok(!rails.has('bank'))
  assert.deepEqual(told.splice(0), ['close bank'])
  rows = [BANK]
  assert.ok(rails.has('bank'))
  await rails.close()
  assert.equal(told.at(-1), 'close bank')
})

test('rail row whose adapter cannot be opened: no adapter, other rails work, tried again when the row changes', () => {
  const broken = { ...BANK, name: 'broken', config: {} }
  const older = { ...BANK, name: 'file', kind: 'nacha' as const }
  let rows: readonly RailRow[] = [broken, older, BANK]
  const { told, rails } = openRails(() => rows, false)
  assert.deepEqual([...rails.keys()], ['simulator', 'bank'])
  rows = [{ ...broken, config: { url: 'https://mended.example' } }, BANK]
  assert.ok(rails.has('broken'))
  assert.deepEqual(told, [
    'open bank https://bank.example never shown to anybody',
    'open broken https://mended.example never shown to anybody',
  ])
})

async function addBank(): Promise<void> {
  await insertRail(service.deps.sql, BANK)
}

test('corridor rail list, show, pause, resume, remove: change and show the rail, never print its secret', async () => {
  await addBank()
  assert.equal(await insertRail(service.deps.sql, BANK), false)
  const shown = {
    name: 'bank',
    kind: 'connector',
    config: BANK.config,
    has_secret: true,
    paused: false,
    paused_reason: '',
  }
  const list = await cli.run('rail', 'list', '--json')
  assert.deepEqual(list.json, [
    shown,
    { ...shown, name: 'manual', kind: 'manual', config: {}, has_secret: false },
  ])
  const paused = await cli.run('rail', 'pause', 'bank', '--reason', 'Holiday')
  assert.match(paused.stdout, /rail bank is paused: Holiday; its payouts wait/)
  assert.match((await cli.run('rail', 'list')).stdout, /bank +connector +paused: Holiday/)
  const words = await cli.run('rail', 'show', 'bank')
  assert.match(words.stdout, /https:\/\/bank\.example/)
  assert.match(words.stdout, /paused +Holiday/)
  await service.deps.reference.refresh()
  assert.match((await cli.run('rail', 'resume', 'bank')).stdout, /rail bank is asked again/)
  const log = await cli.run('audit', 'list', '--act', 'rail pause')
  assert.match(log.stdout, /anna +rail pause +rails +changed rail bank: paused reason Holiday/)
  const routed = await cli.run('route', 'set', '--rail', 'bank', '--currency', 'USD')
  assert.equal(routed.code, 0, routed.stderr)
  const kept = await cli.run('rail', 'remove', 'bank')
  assert.match(kept.stderr, /1 routes lead to rail bank; corridor route remove them first/)
  // A route leads to a rail that there is, whoever writes it.
  const { owner } = service.database
  const { sql } = service.deps
  for (const statement of [
    sql`delete from rails where name = 'bank'`,
    sql`insert into routes (rail) values ('manuel')`,
    owner`insert into routes (rail) values ('manuel')`,
  ]) {
    await assert.rejects(statement, { constraint_name: 'taken_by_a_known_rail' })
  }
  await cli.run('route', 'remove', '--currency', 'USD')
  assert.equal((await cli.run('rail', 'remove', 'bank')).code, 0)
  const all = [list, paused, words, log].map(({ stdout }) => stdout).join()
  assert.ok(!all.includes(BANK.secret))
  const changes = await owner<{ text: string }[]>`
    select coalesce(before::text, '') || coalesce(after::text, '') as text from audit_log
    where table_name = 'rails'`
  assert.ok(changes.length >= 4)
  assert.ok(changes.every(({ text }) => !text.includes(BANK.secret)))
  assert.ok(changes.every(({ text }) => /"secret_digest": "[0-9a-f]{64}"/.test(text)))
})

test('corridor rail add, several faults: all named, nothing written', async () => {
  const path = await cli.file('bank.json', '{"url": ')
  const { code, stderr } = await cli.run('rail', 'add', 'Bank', '--kind', 'bnk', '--config', path)
  assert.equal(code, 2)
  assert.match(stderr, /the name "Bank".*; unknown kind bnk.*; the settings are no JSON/)
  const right = await cli.file('right.json', '{"url":"https://a.example","key_lifetime_s":null}')
  const add = ['rail', 'add', 'third', '--kind', 'connector', '--config', right] as const
  assert.match((await cli.run(...add)).stderr, /needs --secret/)
  const missing = await cli.run('rail', 'show', 'bnk')
  assert.match(missing.stderr, /there is no rail bnk; corridor rail list shows/)
  for (const act of [
    ['pause', 'manual', '--reason', 'x'],
    ['resume', 'manual'],
    ['remove', 'manual'],
  ]) {
    const refused = await cli.run('rail', ...act)
    assert.deepEqual(
      [
        refused.code,
        /rail manual is the manual rail: it cannot be (paused|removed)/.test(refused.stderr),
      ],
      [2, true],
      act.join(' '),
    )
  }
})

test('PostgreSQL, rail: name and kind cannot change, kind must be known, used rail cannot be deleted', async () => {
  const { owner } = service.database
  await addBank()
  const wrong = [
    [owner`update rails set kind = 'nacha' where name = 'bank'`, 'keeps_its_kind'],
    [owner`update rails set name = 'bank2' where name = 'bank'`, 'keeps_its_kind'],
    [owner`delete from rails where name = 'manual'`, 'carried_nothing'],
    [owner`update rails set paused_reason = 'x' where name = 'manual'`, 'people_are_not_paused'],
    [owner`insert into rails values ('x_rail', 'carrier_pigeon', '{}')`, 'known_kind'],
    [owner`insert into rails values ('Rail', 'nacha', '{}')`, 'rail_name'],
    [owner`insert into rails values ('simulator', 'nacha', '{}')`, 'rail_name'],
    [owner`insert into rails values ('people', 'manual', '{}')`, 'one_rail_of_people'],
  ] as const
  for (const [statement, constraint_name] of wrong) {
    await assert.rejects(statement, { constraint_name }, constraint_name)
  }
  await service.setRoutes([{ rail: 'bank' }])
  const account = await service.openAccount({ sandbox: false, fund: { USD: 100_000n } })
  await service.setFees([{}])
  await service.setRates({ 'USD/HKD': '7.8' })
  const paid = await account.post('/v3/payout', { ...localPayout, amount: 1000 })
  assert.equal(paid.status, 200, paid.text)
  await service.setRoutes([])
  const refused = await cli.run('rail', 'remove', 'bank')
  assert.match(refused.stderr, /rail bank has had payouts and stays; corridor rail pause bank/)
  // A paused rail is told as such, and not as one that nobody here can ask.
  await updatePause(service.deps.sql, 'bank', 'Holiday')
  await updateRail(service.deps.sql, { ...BANK, config: {} })
  await service.deps.reference.refresh()
  await countWaiting(service.deps)
  const told = await service.deps.metrics.registry.metrics()
  assert.match(told, /^corridor_rails_paused\{rail="bank"\} 1$/m)
  assert.doesNotMatch(told, /^corridor_payouts_left_alone\{rail="bank"\}/m)
})

const replaced =
  (url: string, more: object = {}) =>
  async () => {
    const text = JSON.stringify({ url, key_lifetime_s: null, ...more })
    const config = await cli.file('other.json', text)
    return cli.run('rail', 'add', 'partner', '--kind', 'connector', '--config', config, '--replace')
  }

test('corridor rail add --replace, another url: refused while payouts of the rail are open, or paid but still asked about', async () => {
  const { owner } = service.database
  const config = { url: 'https://one.example', key_lifetime_s: null }
  await insertRail(service.deps.sql, { ...BANK, name: 'partner', config })
  await service.setRoutes([{ rail: 'partner' }])
  const account = await service.openAccount({ sandbox: false, fund: { USD: 100_000n } })
  const { text, json } = await account.post('/v3/payout', { ...localPayout, amount: 1000 })
  assert.ok(json.data, text)
  const toTwo = replaced('https://two.example')
  const paid = { ...report('succeeded'), ask_again_in_ms: 86_400_000 }
  const settle = (answer: RailReport) => {
    const rail = railOf({ submit: async () => answer, inquire: async () => answer })
    return settleOnce({ ...service.deps, rails: new Map([['partner', rail]]) })
  }
  assert.match(
    (await toTwo()).stderr,
    /keeps its url while it is asked: corridor rail pause partner/,
  )
  await settle({ ...report(), ask_again_in_ms: 60_000 })
  assert.match(
    (await toTwo()).stderr,
    /keeps its url: it is asked about 1 payout; add another rail/,
  )
  await owner`update open_payouts set ask_rail_at = now(), claimed_until = null`
  await settle(paid)
  await updatePause(service.deps.sql, 'partner', 'Moving')
  assert.match((await toTwo()).stderr, /keeps its url: it is asked about 1 payout/)
  const other = { ...BANK, name: 'partner', config: { url: 'https://two.example' } }
  await assert.rejects(updateRail(service.deps.sql, other), {
    constraint_name: 'keeps_its_identity',
  })
  // The same url, written as it was, with other settings: taken.
  assert.equal((await replaced('https://one.example', { at_once: 8 })()).code, 0)
  await owner`update open_payouts set ask_rail_at = now(), claimed_until = null`
  await settle({ ...paid, ask_again_in_ms: null })
  const moved = await toTwo()
  assert.equal(moved.code, 0, moved.stderr)
})

test('corridor rail add --replace, another url during a submission: waits, then refused', async () => {
  const { owner } = service.database
  const config = { url: 'https://one.example', key_lifetime_s: null }
  const slow = { ...BANK, name: 'slow', config, paused_reason: 'Moving' }
  await insertRail(service.deps.sql, slow)
  await service.setRoutes([{ rail: 'slow' }])
  const account = await service.openAccount({ sandbox: false, fund: { USD: 100_000n } })
  const { json, text } = await account.post('/v3/payout', { ...localPayout, amount: 2000 })
  assert.ok(json.data, text)
  const { account_id } = account.account
  const written = Promise.withResolvers<void>()
  const handed = Promise.withResolvers<void>()
  const committed = owner.begin(async tx => {
    await tx`insert into payout_attempts (account_id, payout_id, number, rail, uetr, opened_at,
      asked_at) values (${account_id}, ${json.data.id}, 1, 'slow', ${crypto.randomUUID()},
      now(), now())`
    written.resolve()
    await handed.promise
  })
  await written.promise
  const other = { ...slow, config: { url: 'https://two.example' } }
  const refused = assert.rejects(updateRail(service.deps.sql, other), {
    constraint_name: 'keeps_its_identity',
  })
  await untilBlocked(owner)
  handed.resolve()
  await Promise.all([committed, refused])
})

test('corridor rail add, route set and rail check, rail of SEPA files: name the payouts that it cannot carry, and what would fit', async () => {
  const example = RAIL_KINDS.find(({ name }) => name === 'iso20022')?.example as object
  const config = JSON.stringify({ ...example, profile: 'sepa' })
  await service.setRoutes([])
  const path = await cli.file('sepa.json', config)
  const added = await cli.run('rail', 'add', 'sepa', '--kind', 'iso20022', '--config', path)
  assert.equal(added.code, 0, added.stderr)
  const other = /^ {2}local EUR over target2 to .*: the payout names network target2.*What helps/m
  assert.match(
    added.stdout,
    /cannot carry these payouts of the route for type local, currency EUR:/,
  )
  assert.match(added.stdout, other)
  assert.doesNotMatch(added.stdout, /charge bearer/)
  const set = (...of: string[]) =>
    cli.run('route', 'set', '--rail', 'sepa', '--type', 'local', '--currency', 'EUR', ...of)
  const wide = await set()
  assert.match(wide.stdout, /^rail sepa cannot carry these of its payouts:$/m)
  assert.match(wide.stdout, other)
  const checked = await cli.run('rail', 'check', 'sepa')
  assert.equal(checked.code, 1, checked.stderr)
  assert.match(checked.stdout, other)
  assert.equal((await cli.run('route', 'remove', '--type', 'local', '--currency', 'EUR')).code, 0)
  const narrow = await set('--network', 'sepa', '--country', 'DE', '--json')
  assert.deepEqual([narrow.code, narrow.json.not_carried], [0, []], narrow.stderr)
  const right = await cli.run('rail', 'check', 'sepa')
  assert.deepEqual(
    [right.code, right.stdout],
    [0, 'rail sepa carries every payout of its routes\n'],
  )
  const people = await cli.run('rail', 'check', 'manual', '--json')
  assert.deepEqual([people.code, people.json.not_carried], [0, []])
  const unknown = await cli.run('rail', 'check', 'sepaa')
  assert.match(unknown.stderr, /there is no rail sepaa; did you mean sepa\?/)
})
