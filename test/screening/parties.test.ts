// Entities and beneficiaries that are compared with the lists by themselves: when they are made, when they change, and
// when a list does; and what people decide of them. The account sees nothing of it.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { countWaitingParties } from '../../src/app/worker/counts.ts'
import { screenParties } from '../../src/app/worker/screen-parties.ts'
import { claimQueued } from '../../src/screening/party-store.ts'
import { verify } from '../../src/verify/run.ts'
import { problemsBesidesActs } from '../support/assert/books.ts'
import type { TestService } from '../support/service/service.ts'
import { readLists, requireLists, takeUnList } from '../support/service/un-list.ts'
import { Office, REASON } from './office.ts'

let office: Office
let service: TestService
before(async () => {
  office = await Office.open()
  service = office.service
})
beforeEach(() => office.renew())
after(() => office.close())

async function screenWith(text: string): Promise<void> {
  await takeUnList(service, text)
  await requireLists(service, 'un')
  await office.screenAll()
}

/** What waits of an account's parties, as [id, what for]. */
async function listed(of: 'entity' | 'beneficiary' = 'entity', client = office.live) {
  return (await office.list(of, client)).map(({ id, screening }) => [id, screening])
}

const idsListed = async (of?: 'beneficiary') => (await listed(of)).map(([id]) => id).sort()

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

type KeepFound = TestService['deps']['lanes']['keepFound']

/** A round of a worker that keeps in this way what it has found. */
function screenKeeping(run: (found: Parameters<KeepFound['run']>[0]) => Promise<unknown>) {
  const { deps } = service
  const keepFound = { run } as unknown as KeepFound
  return screenParties({ ...deps, lanes: { ...deps.lanes, keepFound } })
}

const killed = () => Promise.reject(new Error('killed'))

// First, while no list has ever been there.
test('screening of parties, no list, or screening off: no matches, no work left', async () => {
  await office.makeEntity('Eric Badege')
  await office.screenAll()
  assert.deepEqual(await queued(), [])
  await takeUnList(service, office.un)
  await requireLists(service)
  await office.screenAll()
  assert.deepEqual(await listed(), [], 'live accounts are not screened')
  const sandbox = await service.openAccount()
  await office.makeEntity('Eric Badege', sandbox)
  await office.screenAll()
  assert.equal((await listed('entity', sandbox)).length, 1, 'a sandbox is')
  await requireLists(service, 'un')
  await office.screenAll()
  assert.equal((await listed()).length, 1)
})

test('new entity, itself or a representative listed: a match for a person to decide; others none', async () => {
  await screenWith(office.un)
  const id = await office.makeEntity('Eric Badege')
  const other = await office.makeEntity('Lucia Chen')
  const representatives = [
    { first_name: 'Maria', last_name: 'Silva' },
    { first_name: 'Eric', last_name: 'Badege' },
  ]
  const business = { type: 'business', name: 'Harbour Ltd', representatives }
  const led = (await office.live.post('/v3/entity', business)).json.data.id
  assert.deepEqual(await queued(), [id, other, led])
  await office.screenAll()
  assert.deepEqual([await queued(), await idsListed()], [[], [id, led]])
  const account = ['--account', office.live.account.account_id]
  const { json } = await office.runs('screening', 'list', '--of', 'entity', ...account, '--json')
  assert.deepEqual(json.results, await office.list('entity'))
  const { matches, digest, parties, ...shown } = await office.show(id)
  assert.match(digest, /^[0-9a-f]{64}$/)
  assert.deepEqual(
    parties.map(({ party, name }) => [party, name]),
    [['entity', 'Eric Badege']],
  )
  assert.deepEqual(shown, {
    id,
    of: 'entity',
    account_id: office.live.account.account_id,
    status: 'pending',
    screening: 'open',
    screened_at_version: null,
  })
  const [match = assert.fail()] = matches
  assert.deepEqual(
    [match.party, match.list, match.entry_id, match.state, match.listed],
    ['entity', 'un', 'CDi.001', 'open', true],
  )
  assert.equal(match.score, match.pieces.at(-1)?.score)
  assert.deepEqual((await office.show(other)).matches, [])
  assert.equal((await office.show(led)).matches[0]?.party, 'representative_2')
})

test('entity renamed to another listed name: a new match; the former match stays', async () => {
  await screenWith(office.un)
  const id = await office.makeEntity('Lucia Chen')
  await office.screenAll()
  await office.live.put(`/v3/entity/${id}`, { description: 'A client since May' })
  assert.deepEqual(await queued(), [id])
  await office.rename(id, 'Eric Badege')
  await office.screenAll()
  assert.deepEqual(await listed(), [[id, 'open']])
  await office.rename(id, 'Lucia Chen')
  await office.screenAll()
  assert.deepEqual(await listed(), [[id, 'open']], 'a person has not looked')
})

test('API of the account, entity with a match: same answers and events as without a match', async () => {
  await screenWith(office.un)
  const id = await office.makeEntity('Eric Badege')
  const seen = async () => {
    const paths = [`/v3/entity/${id}`, '/v3/entity?limit=10', '/v3/event?limit=50']
    return Promise.all(paths.map(async path => (await office.live.get(path)).json.data))
  }
  const before = await seen()
  await office.screenAll()
  assert.deepEqual(await listed(), [[id, 'open']])
  assert.deepEqual(await seen(), before)
  await office.decides('confirm', id)
  assert.deepEqual(await seen(), before)
  const refused = await office.live.get(`/v3/operator/screening/${id}`)
  assert.ok([401, 403, 404].includes(refused.status), refused.text)
})

test('match cleared: no new match for the same name and entry; a new one for another name or entry', async () => {
  await screenWith(office.un)
  const id = await office.makeEntity('Eric Badege')
  const early = await office.fails('screening', 'clear', id, ...REASON)
  assert.match(early, /has no match that can be cleared/)
  await office.screenAll()
  await office.decides('clear', id)
  await office.screenAll()
  await office.live.put(`/v3/entity/${id}`, { description: 'A client since May' })
  await office.screenAll()
  await takeUnList(service, office.un)
  await office.screenAll()
  assert.deepEqual(await listed(), [])
  assert.equal((await office.show(id)).matches[0]?.reason, REASON[1])
  await office.rename(id, 'Eric Badège')
  await office.screenAll()
  assert.deepEqual(await listed(), [[id, 'open']], 'another name')
  await office.rename(id, 'Eric Badége')
  await office.screenAll()
  await office.decides('clear', id)
  assert.deepEqual(await listed(), [])
  await office.screenAll()
  assert.deepEqual(await listed(), [[id, 'open']], 'what it has become since is another, too')
  await office.decides('clear', id)
  await office.screenAll()
  assert.deepEqual(await listed(), [])
  await takeUnList(service, office.un.replace('<YEAR>1971</YEAR>', '<YEAR>1972</YEAR>'))
  await office.screenAll()
  assert.deepEqual(await listed(), [[id, 'open']], 'another entry')
})

/** How many parties the metrics count in each state. */
async function statesWaiting(): Promise<Record<string, number>> {
  await countWaitingParties(service.deps)
  const { values } = await service.deps.metrics.partiesScreening.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.state, value]))
}

test('beneficiary: screened when created, when changed, and when a list changes', async () => {
  await screenWith(office.un)
  const before_it = await statesWaiting()
  const [listedOne, later, other] = [
    await office.makeBeneficiary('Eric Badege'),
    await office.makeBeneficiary('Maria Silva'),
    await office.makeBeneficiary('Lucia Chen'),
  ]
  await office.screenAll()
  assert.deepEqual(await listed('beneficiary'), [[listedOne, 'open']])
  await office.rename(later, 'Eric Badège')
  await office.screenAll()
  assert.deepEqual(await idsListed('beneficiary'), [listedOne, later])
  await office.decides('clear', later)
  await office.decides('confirm', listedOne)
  await office.screenAll()
  assert.deepEqual(await listed('beneficiary'), [[listedOne, 'confirmed']])
  await office.makeBeneficiary('Wei Zhang')
  const { confirmed = 0, ...others } = before_it
  assert.deepEqual(await statesWaiting(), { ...others, confirmed: confirmed + 1, queued: 1 })
  assert.equal((await office.show(later)).matches[0]?.party, 'beneficiary')
  const read = async () => (await office.live.get(`/v3/beneficiary/${other}`)).json.data
  const before = await read()
  await takeUnList(service, office.un.replace('BADEGE', 'Chen').replace('>ERIC<', '>Lucia<'))
  await office.screenAll()
  assert.equal((await office.show(other)).screening, 'open')
  assert.deepEqual(await read(), before)
})

test('inline payee of a payout: screened with the payout; if it matches, also as a beneficiary', async () => {
  await screenWith(office.un)
  await readLists(service)
  const { beneficiary: free } = await office.pay('Lucia Chen')
  const { beneficiary: found } = await office.pay('Eric Badege')
  assert.deepEqual(await queued(), [found])
  await office.screenAll()
  assert.deepEqual(await listed('beneficiary'), [[found, 'open']])
  await office.rename(free, 'Eric Badege')
  await office.screenAll()
  assert.deepEqual(await idsListed('beneficiary'), [free, found].sort())
})

test('entity approval: refused with an open or confirmed match; rejection always allowed', async () => {
  await screenWith(office.un)
  const id = await office.makeEntity('Eric Badege')
  await office.screenAll()
  const waiting = (await office.runs('entity', 'show', id)).stdout
  assert.match(waiting, /may be on a sanctions list, and is not approved:\n.*screening show ent_/)
  const open = await office.fails('entity', 'approve', id)
  const words = /may be on a sanctions list: look at its screening, then clear the/
  assert.match(open, words)
  await office.runs('screening', 'confirm', id, ...REASON)
  const confirmed = await office.fails('entity', 'approve', id)
  assert.match(confirmed, /is confirmed to be on a sanctions list/)
  const { owner } = service.database
  const set = (change: string) =>
    owner.begin(async tx => {
      await tx`select set_config('corridor.maintenance', 'on', true)`
      await tx.unsafe(`update entities set ${change} where id = '${id}'`)
    })
  const bypass = set(`approval_status = 'approved'`)
  await assert.rejects(bypass, /may be on a sanctions list: it is not approved/)
  await set(`screening = ''`)
  const verdict = await verify(owner, { account_id: null, all: true })
  assert.deepEqual(
    problemsBesidesActs(verdict).map(({ table, key }) => [table, key]),
    [['entities', id]],
  )
  await set(`screening = 'confirmed'`)
  await office.runs('entity', 'reject', id, '--reason', 'Not our client.')
  await office.runs('screening', 'clear', id, ...REASON)
  assert.doesNotMatch((await office.runs('entity', 'show', id)).stdout, /sanctions/)
  await office.runs('entity', 'approve', id)
  await assertRecorded(id)
})

/** The audit log has what anna has decided of the entity, the newest first. */
async function assertRecorded(id: string): Promise<void> {
  const { json } = await office.runs('audit', 'list', '--json')
  type Known = { account_id?: string } | null
  type Act = { table_name: string; changed_by: string; before: Known; after: Known }
  const { account_id } = office.live.account
  const acts = json.filter(
    ({ table_name, after }: Act) =>
      table_name === 'screening_matches' && after?.account_id === account_id,
  )
  const of = (screening: string, state = '') => {
    const matches = `entity un CDi.001 ${state}`
    return { account_id, id, screening, ...(state !== '' && { matches }) }
  }
  assert.deepEqual(
    acts.map(({ changed_by, before, after }: Act) => ({ changed_by, before, after })),
    [
      { changed_by: 'anna', before: of('confirmed'), after: of('', 'cleared') },
      { changed_by: 'anna', before: of('open'), after: of('confirmed', 'confirmed') },
    ],
  )
}

test('screening worker killed: its parties screened by the next worker, one match each', async () => {
  await screenWith(office.un)
  const id = await office.makeEntity('Eric Badege')
  const claimed = await claimQueued(service.deps, 10, 30_000)
  assert.equal(claimed.length, 1)
  assert.equal(await screenParties(service.deps), 0, 'it is in other hands')
  await passLeases()
  await screenKeeping(killed)
  assert.deepEqual([await queued(), await listed()], [[id], []])
  await passLeases()
  await office.screenAll()
  assert.deepEqual([await queued(), await listed()], [[], [[id, 'open']]])
})

test('screening of all parties, worker killed: continued by the next worker', async () => {
  await screenWith(office.without('BADEGE'))
  const id = await office.makeEntity('Eric Badege')
  await office.screenAll()
  await takeUnList(service, office.un)
  await assert.rejects(screenKeeping(killed), /killed/)
  assert.equal(await screenParties(service.deps), 0, 'it is in other hands')
  await passLeases()
  await office.screenAll()
  assert.deepEqual(await listed(), [[id, 'open']])
})

test('entity changed while screened: result discarded, screened again', async () => {
  await screenWith(office.un)
  const id = await office.makeEntity('Eric Badege')
  await screenKeeping(async found => {
    await office.rename(id, 'Lucia Chen')
    return service.deps.lanes.keepFound.run(found)
  })
  assert.deepEqual([await queued(), (await office.show(id)).matches], [[id], []])
  await office.screenAll()
  assert.deepEqual([await queued(), await listed()], [[], []])
})

test('two screening workers, hundreds of entities: each screened once, one match each', async () => {
  await screenWith(office.without('BADEGE'))
  const made = Array.from({ length: 450 }, (_, i) =>
    office.makeEntity(i % 90 === 0 ? 'Eric Badege' : `Lucia Chen ${i}`),
  )
  const ids = await Promise.all(made)
  const sandbox = await service.openAccount()
  await office.makeEntity('Eric Badege', sandbox)
  const other = await service.anotherProcess()
  try {
    const both = () => Promise.all([office.screenAll(), office.screenAll(other.deps)])
    await both()
    await office.screenAll()
    assert.deepEqual([await listed(), await listed('entity', sandbox)], [[], []])
    await takeUnList(service, office.un)
    await office.rename(ids[1] ?? '', 'Eric Badege')
    await both()
    await passLeases()
    await office.screenAll()
  } finally {
    await other.close()
  }
  const expected = ids.filter((_, i) => i % 90 === 0 || i === 1)
  assert.deepEqual(await idsListed(), expected.sort())
  assert.equal((await listed('entity', sandbox)).length, 1)
  const [row] = await service.database.owner<{ matches: number; done: boolean }[]>`
    select is_done as done, (
        select count(*)::integer from screening_matches
        where account_id = ${office.live.account.account_id}
      ) as matches
    from screening_pass`
  assert.deepEqual({ ...row }, { matches: expected.length, done: true })
})

test('lists and entities added in parallel, two workers: a match for every listed entity', async () => {
  await screenWith(office.without('BADEGE'))
  const other = await service.anotherProcess()
  const ids: string[] = []
  try {
    let over = false
    const work = async (deps: typeof service.deps) => {
      while (!over) await screenParties(deps)
    }
    const make = async () => {
      for (let i = 0; i < 20; i++) ids.push(await office.makeEntity('Eric Badege'))
    }
    const workers = Promise.all([work(service.deps), work(other.deps)])
    const imports = async () => {
      await takeUnList(service, office.un)
      await takeUnList(service, office.un)
    }
    await Promise.all([make(), make(), imports()])
    over = true
    await workers
    await passLeases()
    await office.screenAll(other.deps)
  } finally {
    await other.close()
  }
  assert.equal(ids.length, 40)
  assert.deepEqual(await idsListed(), ids.toSorted())
})
