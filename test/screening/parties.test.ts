// Entities and beneficiaries that are compared with the lists by themselves: when they are made, when they change, and
// when a list does; and what people decide of them. The account sees nothing of it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { claimQueued } from '../../src/screening/party-store.ts'
import { verify } from '../../src/verify/run.ts'
import { countWaitingParties } from '../../src/worker/counts.ts'
import { screenParties } from '../../src/worker/screen-parties.ts'
import { onCluster } from '../support/database/citus.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { readUnList, requireLists, takeUnList } from '../support/service/un-list.ts'

const REASON = ['--reason', 'Born in another year.']

let service: TestService
let live: Client
let cli: Cli
/** The UN's list as it is published today: Eric Badege is on it. */
let un: string
before(async () => {
  un = await readUnList()
  service = await startTestService()
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'anna' })
  await service.setFees([{}])
  await service.setRates({ 'USD/HKD': '7.8' })
})
beforeEach(async () => {
  live = await service.openAccount({ sandbox: onCluster })
})
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
  await cli.close()
  await service.close()
})

const without = (name: string) => {
  assert.ok(un.includes(name))
  return un.replace(name, 'NOBODY')
}

async function screenWith(text: string): Promise<void> {
  await takeUnList(service, text)
  await requireLists(service, 'un')
  await screenAll()
}

/** Rounds of a worker until nothing is left to compare. */
async function screenAll(deps = service.deps): Promise<void> {
  while ((await screenParties(deps)) > 0);
}

async function makeEntity(name: string, client = live): Promise<string> {
  const made = await client.post('/v3/entity', { type: 'individual', name })
  assert.equal(made.status, 200, made.text)
  return made.json.data.id
}

async function rename(id: string, name: string): Promise<void> {
  const answer = await live.put(`/v3/entity/${id}`, { name })
  assert.equal(answer.status, 200, answer.text)
}

async function runs(...args: readonly string[]) {
  const ran = await cli.run(...args)
  assert.equal(ran.code, 0, ran.stderr)
  return ran
}

async function fails(...args: readonly string[]): Promise<string> {
  const ran = await cli.run(...args)
  assert.equal(ran.code, 1, ran.stdout)
  return ran.stderr
}

async function show(id: string) {
  return (await runs('screening', 'show', id, '--json')).json
}

/** What waits of an account's entities, or of its beneficiaries, as [id, what for]. */
async function listed(of = 'entity', { account } = live): Promise<[string, string][]> {
  const options = ['--account', account.account_id, '--limit', '100', '--json']
  const { json } = await runs('screening', 'list', '--of', of, ...options)
  return json.results.map((found: { id: string; screening: string }) => [found.id, found.screening])
}

async function queued(): Promise<string[]> {
  const rows = await service.database.owner<{ party_id: string }[]>`
    select party_id from screening_queue order by 1`
  return rows.map(row => row.party_id)
}

/** What a worker had claimed when it was killed comes due. */
async function passLeases(): Promise<void> {
  await service.database.owner`update screening_queue set due_at = now()`
  await service.database.owner`update screening_pass set due_at = now()`
}

// First, while no list has ever been there.
test('no list, or an installation that does not screen: nothing is found, and nothing is left', async () => {
  await makeEntity('Eric Badege')
  await screenAll()
  assert.deepEqual(await queued(), [])
  await takeUnList(service, un)
  await requireLists(service)
  await screenAll()
  assert.deepEqual(await listed(), [], 'live accounts are not screened')
  const sandbox = await service.openAccount()
  await makeEntity('Eric Badege', sandbox)
  await screenAll()
  assert.equal((await listed('entity', sandbox)).length, 1, 'a sandbox is')
  await requireLists(service, 'un')
  await screenAll()
  assert.equal((await listed()).length, 1)
})

test('a new entity that is listed: a person is asked, with its score; others are passed', async () => {
  await screenWith(un)
  const id = await makeEntity('Eric Badege')
  const other = await makeEntity('Lucia Chen')
  assert.deepEqual(await queued(), [id, other])
  await screenAll()
  assert.deepEqual([await queued(), await listed()], [[], [[id, 'open']]])
  const { matches, digest, ...shown } = await show(id)
  assert.match(digest, /^[0-9a-f]{64}$/)
  assert.deepEqual(shown, {
    id,
    of: 'entity',
    account_id: live.account.account_id,
    status: 'pending',
    screening: 'open',
    screened_at_version: null,
  })
  const [match] = matches
  assert.deepEqual(
    [match.party, match.list, match.entry_id, match.state, match.listed],
    ['entity', 'un', 'CDi.001', 'open', true],
  )
  assert.equal(match.score, match.pieces.at(-1).score)
  assert.deepEqual((await show(other)).matches, [])
})

test('a representative of an entity that is listed: the entity waits', async () => {
  await screenWith(un)
  const representatives = [{ first_name: 'Maria', last_name: 'Silva' }]
  const listedOne = { first_name: 'Eric', last_name: 'Badege' }
  const body = { type: 'business', name: 'Harbour Ltd' }
  const made = await live.post('/v3/entity', {
    ...body,
    representatives: [...representatives, listedOne],
  })
  assert.equal(made.status, 200, made.text)
  await screenAll()
  const { matches } = await show(made.json.data.id)
  assert.deepEqual(
    matches.map((match: { party: string }) => match.party),
    ['representative_2'],
  )
})

test('an entity that changes: asked about by its new name; the former match stays', async () => {
  await screenWith(un)
  const id = await makeEntity('Lucia Chen')
  await screenAll()
  await live.put(`/v3/entity/${id}`, { description: 'A client since May' })
  assert.deepEqual(await queued(), [id])
  await rename(id, 'Eric Badege')
  await screenAll()
  assert.deepEqual(await listed(), [[id, 'open']])
  await rename(id, 'Lucia Chen')
  await screenAll()
  assert.deepEqual(await listed(), [[id, 'open']], 'a person has not looked')
})

test('a list that comes later: every entity that is on it waits, of all accounts', async () => {
  await screenWith(without('BADEGE'))
  const sandbox = await service.openAccount()
  const ids = [await makeEntity('Eric Badege'), await makeEntity('Eric Badege', sandbox)]
  await screenAll()
  assert.deepEqual(await listed(), [])
  await takeUnList(service, un)
  await screenAll()
  const { json } = await runs('screening', 'list', '--of', 'entity', '--limit', '100', '--json')
  const found = json.results.map(({ id }: { id: string }) => id)
  assert.deepEqual(found.filter((id: string) => ids.includes(id)).sort(), ids.toSorted())
})

test('the account: its entity reads the same with and without a match, and no event tells', async () => {
  await screenWith(un)
  const id = await makeEntity('Eric Badege')
  const seen = async () => {
    const paths = [`/v3/entity/${id}`, '/v3/entity?limit=10', '/v3/event?limit=50']
    return Promise.all(paths.map(async path => (await live.get(path)).json.data))
  }
  const before = await seen()
  await screenAll()
  assert.deepEqual(await listed(), [[id, 'open']])
  assert.deepEqual(await seen(), before)
  await runs('screening', 'confirm', id, '--reason', 'The passport agrees.')
  assert.deepEqual(await seen(), before)
  const refused = await live.get(`/v3/operator/screening/${id}`)
  assert.ok([401, 403, 404].includes(refused.status), refused.text)
})

test('cleared: not asked again for the same name and entry; for another of either it is', async () => {
  await screenWith(un)
  const id = await makeEntity('Eric Badege')
  await screenAll()
  await runs('screening', 'clear', id, ...REASON)
  await screenAll()
  await live.put(`/v3/entity/${id}`, { description: 'A client since May' })
  await screenAll()
  await takeUnList(service, un)
  await screenAll()
  assert.deepEqual(await listed(), [])
  assert.equal((await show(id)).matches[0].reason, 'Born in another year.')
  await rename(id, 'Eric Badège')
  await screenAll()
  assert.deepEqual(await listed(), [[id, 'open']], 'another name')
  await runs('screening', 'clear', id, ...REASON)
  await screenAll()
  assert.deepEqual(await listed(), [])
  await takeUnList(service, un.replace('<YEAR>1971</YEAR>', '<YEAR>1972</YEAR>'))
  await screenAll()
  assert.deepEqual(await listed(), [[id, 'open']], 'another entry')
})

test('cleared as it was: what it has become since is asked at once', async () => {
  await screenWith(un)
  const id = await makeEntity('Eric Badege')
  await screenAll()
  await rename(id, 'Eric Badége')
  await screenAll()
  await runs('screening', 'clear', id, ...REASON)
  assert.deepEqual(await listed(), [])
  await screenAll()
  assert.deepEqual(await listed(), [[id, 'open']])
})

test('decided by a person alone, and in the audit log', async () => {
  await screenWith(un)
  const id = await makeEntity('Eric Badege')
  assert.match(await fails('screening', 'clear', id, ...REASON), /has no match that can be cleared/)
  await screenAll()
  const nobody = await openCli(service.database.url, {})
  const ran = await nobody.run('screening', 'clear', id, ...REASON)
  await nobody.close()
  assert.equal(ran.code, 2, ran.stderr)
  assert.equal((await cli.run('screening', 'confirm', id)).code, 2, 'without a reason')
  await runs('screening', 'confirm', id, '--reason', 'The passport agrees.')
  await runs('screening', 'clear', id, ...REASON)
  const { json } = await runs('audit', 'list', '--json')
  type Known = { account_id?: string } | null
  type Act = { table_name: string; changed_by: string; before: Known; after: Known }
  const { account_id } = live.account
  const acts = json.filter(
    ({ table_name, after }: Act) =>
      table_name === 'screening_matches' && after?.account_id === account_id,
  )
  const matches = (state: string) => ({ matches: `entity un CDi.001 ${state}` })
  assert.deepEqual(
    acts.map(({ changed_by, before, after }: Act) => ({ changed_by, before, after })),
    [
      {
        changed_by: 'anna',
        before: { account_id, id, screening: 'confirmed' },
        after: { account_id, id, screening: '', ...matches('cleared') },
      },
      {
        changed_by: 'anna',
        before: { account_id, id, screening: 'open' },
        after: { account_id, id, screening: 'confirmed', ...matches('confirmed') },
      },
    ],
  )
})

const beneficiaryOf = (name: string) => {
  return { ...localPayout.beneficiary_details, type: 'individual', name }
}

async function makeBeneficiary(name: string): Promise<string> {
  const made = await live.post('/v3/beneficiary', beneficiaryOf(name))
  assert.equal(made.status, 200, made.text)
  return made.json.data.id
}

/** How many parties the metrics count in each state. */
async function statesWaiting(): Promise<Record<string, number>> {
  await countWaitingParties(service.deps)
  const { values } = await service.deps.metrics.partiesScreening.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.state, value]))
}

test('beneficiaries: asked about when they are made, when they change, and when a list does', async () => {
  await screenWith(un)
  const before_it = await statesWaiting()
  const [listedOne, later, other] = [
    await makeBeneficiary('Eric Badege'),
    await makeBeneficiary('Maria Silva'),
    await makeBeneficiary('Lucia Chen'),
  ]
  await screenAll()
  assert.deepEqual(await listed('beneficiary'), [[listedOne, 'open']])
  const changed = await live.put(`/v3/beneficiary/${later}`, { name: 'Eric Badège' })
  assert.equal(changed.status, 200, changed.text)
  await screenAll()
  assert.deepEqual(
    (await listed('beneficiary')).map(([id]) => id),
    [listedOne, later],
  )
  await runs('screening', 'clear', later, ...REASON)
  await runs('screening', 'confirm', listedOne, ...REASON)
  await screenAll()
  assert.deepEqual(await listed('beneficiary'), [[listedOne, 'confirmed']])
  await makeBeneficiary('Wei Zhang')
  const { confirmed = 0, ...others } = before_it
  assert.deepEqual(await statesWaiting(), { ...others, confirmed: confirmed + 1, queued: 1 })
  const { of, status, matches } = await show(later)
  assert.deepEqual([of, status, matches[0].party], ['beneficiary', 'active', 'beneficiary'])
  const before = (await live.get(`/v3/beneficiary/${other}`)).json.data
  await takeUnList(service, un.replace('BADEGE', 'Chen').replace('>ERIC<', '>Lucia<'))
  await screenAll()
  assert.deepEqual((await show(other)).screening, 'open')
  assert.deepEqual((await live.get(`/v3/beneficiary/${other}`)).json.data, before)
})

test('what a payout brings along: compared with it, and by itself if somebody was found', async () => {
  await screenWith(un)
  await service.deps.lists.read()
  const payer = await service.openAccount({ fund: { USD: 100_000n } })
  const pay = async (name: string) => {
    const body = { ...localPayout, amount: 1000, beneficiary_details: beneficiaryOf(name) }
    const made = await payer.post('/v3/payout', body)
    assert.equal(made.status, 200, made.text)
    return made.json.data.beneficiary as string
  }
  const [free, found] = [await pay('Lucia Chen'), await pay('Eric Badege')]
  assert.deepEqual(await queued(), [found])
  await screenAll()
  assert.deepEqual(await listed('beneficiary', payer), [[found, 'open']])
  const changed = await payer.put(`/v3/beneficiary/${free}`, { name: 'Eric Badege' })
  assert.equal(changed.status, 200, changed.text)
  await screenAll()
  assert.deepEqual(
    (await listed('beneficiary', payer)).map(([id]) => id),
    [free, found].sort(),
  )
})

test('approved only when nothing is open or confirmed; rejected at any time', async () => {
  await screenWith(un)
  const id = await makeEntity('Eric Badege')
  await screenAll()
  const waiting = (await runs('entity', 'show', id)).stdout
  assert.match(waiting, /may be on a sanctions list, and is not approved:\n.*screening show ent_/)
  const open = await fails('entity', 'approve', id)
  assert.match(
    open,
    /may be on a sanctions list: read corridor screening show ent_\w+, then clear the/,
  )
  await runs('screening', 'confirm', id, '--reason', 'The passport agrees.')
  assert.match(await fails('entity', 'approve', id), /is confirmed to be on a sanctions list/)
  const { owner } = service.database
  const bypass = owner.begin(async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await tx`update entities set approval_status = 'approved' where id = ${id}`
  })
  await assert.rejects(bypass, /may be on a sanctions list: it is not approved/)
  const hide = (screening: string) =>
    owner.begin(async tx => {
      await tx`select set_config('corridor.maintenance', 'on', true)`
      await tx`update entities set screening = ${screening} where id = ${id}`
    })
  await hide('')
  const verdict = await verify(owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems.map(({ table, key }) => [table, key]), [
    ['entities', id],
  ])
  await hide('confirmed')
  await runs('entity', 'reject', id, '--reason', 'Not our client.')
  await runs('screening', 'clear', id, ...REASON)
  assert.doesNotMatch((await runs('entity', 'show', id)).stdout, /sanctions/)
  await runs('entity', 'approve', id)
})

test('a worker that is killed: what it had claimed is compared by the next, and asked once', async () => {
  await screenWith(un)
  const id = await makeEntity('Eric Badege')
  const claimed = await claimQueued(service.deps, 10, 30_000)
  assert.equal(claimed.length, 1)
  assert.equal(await screenParties(service.deps), 0, 'it is in other hands')
  await passLeases()
  const { lanes } = service.deps
  const dies = {
    run: () => Promise.reject(new Error('killed')),
  } as unknown as typeof lanes.keepFound
  await screenParties({ ...service.deps, lanes: { ...lanes, keepFound: dies } })
  assert.deepEqual([await queued(), await listed()], [[id], []])
  await passLeases()
  await screenAll()
  assert.deepEqual([await queued(), await listed()], [[], [[id, 'open']]])
})

test('a pass that is killed: the next worker goes on with it', async () => {
  await screenWith(without('BADEGE'))
  const id = await makeEntity('Eric Badege')
  await screenAll()
  await takeUnList(service, un)
  const { lanes } = service.deps
  const dies = {
    run: () => Promise.reject(new Error('killed')),
  } as unknown as typeof lanes.keepFound
  const dying = screenParties({ ...service.deps, lanes: { ...lanes, keepFound: dies } })
  await assert.rejects(dying, /killed/)
  assert.equal(await screenParties(service.deps), 0, 'it is in other hands')
  await passLeases()
  await screenAll()
  assert.deepEqual(await listed(), [[id, 'open']])
})

test('an entity that changes while it is compared: compared again, and nothing kept of before', async () => {
  await screenWith(un)
  const id = await makeEntity('Eric Badege')
  const { lanes } = service.deps
  type Kept = Parameters<typeof lanes.keepFound.run>[0]
  const keepFound = {
    run: async (found: Kept) => {
      await rename(id, 'Lucia Chen')
      return lanes.keepFound.run(found)
    },
  } as unknown as typeof lanes.keepFound
  await screenParties({ ...service.deps, lanes: { ...lanes, keepFound } })
  assert.deepEqual([await queued(), (await show(id)).matches], [[id], []])
  await screenAll()
  assert.deepEqual([await queued(), await listed()], [[], []])
})

test('two workers at once, and hundreds of entities: each is compared, and asked about once', async () => {
  await screenWith(without('BADEGE'))
  const made = Array.from({ length: 450 }, (_, i) =>
    makeEntity(i % 90 === 0 ? 'Eric Badege' : `Lucia Chen ${i}`),
  )
  const ids = await Promise.all(made)
  const other = await service.anotherProcess()
  try {
    await Promise.all([screenAll(), screenAll(other.deps)])
    await screenAll()
    await takeUnList(service, un)
    await rename(ids[1] ?? '', 'Eric Badege')
    await Promise.all([screenAll(), screenAll(other.deps)])
    await passLeases()
    await screenAll()
  } finally {
    await other.close()
  }
  const expected = ids.filter((_, i) => i % 90 === 0 || i === 1)
  assert.deepEqual((await listed()).map(([id]) => id).sort(), expected.sort())
  const [row] = await service.database.owner<{ matches: number; done: boolean }[]>`
    select is_done as done, (
        select count(*)::integer from screening_matches
        where account_id = ${live.account.account_id}
      ) as matches
    from screening_pass`
  assert.deepEqual({ ...row }, { matches: expected.length, done: true })
})

test('lists and entities that come at once, with two workers: whoever is listed is asked about', async () => {
  await screenWith(without('BADEGE'))
  const other = await service.anotherProcess()
  const ids: string[] = []
  try {
    let over = false
    const work = async (deps: typeof service.deps) => {
      while (!over) await screenParties(deps)
    }
    const make = async () => {
      for (let i = 0; i < 20; i++) ids.push(await makeEntity('Eric Badege'))
    }
    const workers = Promise.all([work(service.deps), work(other.deps)])
    const imports = async () => {
      await takeUnList(service, un)
      await takeUnList(service, un)
    }
    await Promise.all([make(), make(), imports()])
    over = true
    await workers
    await passLeases()
    await screenAll(other.deps)
  } finally {
    await other.close()
  }
  assert.equal(ids.length, 40)
  assert.deepEqual((await listed()).map(([id]) => id).sort(), ids.toSorted())
})
