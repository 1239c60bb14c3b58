// The metrics that say how long ago people have renewed what only they renew.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { measureAges } from '../../src/app/worker/counts.ts'
import { startTestService } from '../support/service/service.ts'
import { readUnList, requireLists, takeUnList } from '../support/service/un-list.ts'

const service = await startTestService()
after(() => service.close())
const { owner } = service.database

/** The samples of a metric now, by their labels as /metrics writes them. */
async function samples(name: string): Promise<Record<string, number>> {
  await measureAges(service.deps)
  const { text } = await service.inject({ method: 'GET', url: '/metrics' })
  const lines = [...text.matchAll(new RegExp(`^${name}{(.*)} (\\d+)$`, 'gm'))]
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value)]))
}

test('GET /metrics, age of corridor verify: none without live accounts, since the first of them, since the last that succeeded', async () => {
  const NAME = 'corridor_upkeep_age_seconds'
  assert.deepEqual(await samples(NAME), {})
  const { account } = await service.openAccount({ sandbox: false, currencies: ['USD'] })
  await owner`update accounts set created_at = now() - interval '3 hours'
    where account_id = ${account.account_id}`
  const never = await samples(NAME)
  // The database is not the embedded one, whose backup Corridor takes.
  assert.deepEqual(Object.keys(never), ['kind="verify"'])
  assert.ok((never['kind="verify"'] ?? 0) >= 3 * 3600)
  const ran = (hours: number, well: boolean) => owner`
    insert into upkeep_runs (kind, finished_at, well)
    values ('verify', now() - make_interval(hours => ${hours}), ${well})`
  await ran(2, true)
  await ran(1, false)
  const { 'kind="verify"': age = 0 } = await samples(NAME)
  assert.ok(age >= 2 * 3600 && age < 3 * 3600, `${age} s`)
})

test('GET /metrics, age of a sanctions list: of one that is required and imported, and of no sample', async () => {
  const NAME = 'corridor_screening_list_age_seconds'
  const text = await readUnList()
  await requireLists(service, 'un', 'eu')
  await takeUnList(service, text, { is_sample: true })
  assert.deepEqual(await samples(NAME), {})
  await takeUnList(service, text)
  assert.deepEqual(Object.keys(await samples(NAME)), ['list="un"'])
  await requireLists(service)
  assert.deepEqual(await samples(NAME), {})
})
