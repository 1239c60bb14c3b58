// Blocks of names: a search finds the same rows with them as without, wherever a row is, also after
// a change and an erasure; and it reads few rows for a rare name.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { indexNames } from '../../src/app/worker/index-names.ts'
import { findIdsByText } from '../../src/sql/find-by-text.ts'
import { BLOCK_ROWS, findRanges } from '../../src/sql/search-blocks.ts'
import {
  foundBy,
  partsOf,
  type SearchFilters,
  signOf,
  signsOf,
} from '../../src/values/text/found-by.ts'
import { list } from '../support/assert/listing.ts'
import { costOf, madeAt, madeAtSql } from '../support/assert/page-cost.ts'
import { bankBeneficiary } from '../support/given/bodies.ts'
import { eraseBy, openContext } from '../support/service/operate.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/beneficiary'
/** Two whole blocks, and rows of a third. */
const ROWS = 2 * BLOCK_ROWS + 300

let service: TestService
let account: Client
let account_id: string
before(async () => {
  service = await startTestService()
  account = await service.openAccount()
  account_id = account.account.account_id
  await addPerson(service, { user: 'olga', role: 'operator' })
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await tx`
      insert into beneficiaries
        (made_by, account_id, id, details, created_at, updated_at, found_by)
      select 'key_1', ${account_id}, ${madeAtSql(owner, 'bnf')},
        json_build_object('name', 'Person ' || i, 'type', 'business',
          'destination_details',
          json_build_object('type', 'bank', 'bank', json_build_object('account_number', '1'))),
        now(), now(), E'\n#ACCT' || lpad(i::text, 8, '0') || E'\n person ' || case i
          when 70 then 'zwingli' when ${BLOCK_ROWS + 70} then 'zwickau'
          when ${ROWS - 1} then 'zwingend' else md5(i::text) end
      from generate_series(1, ${ROWS}) i`
  })
})
after(() => service.close())

const find = (filters: SearchFilters, limit = 100) =>
  service.deps.read(account_id, tx =>
    findIdsByText(tx, 'beneficiaries', account_id, partsOf(filters), limit),
  )
const rangesOf = (filters: SearchFilters) =>
  service.deps.read(account_id, tx => findRanges(tx, 'beneficiaries', account_id, partsOf(filters)))
const index = () => indexNames(service.deps.sql, account_id)

/** Filters, and the numbers of the rows that they find. */
const SEARCHES: readonly (readonly [filters: SearchFilters, ...rows: number[]])[] = [
  [{ name: ['zwingli'] }, 70],
  [{ name: ['zwi'] }, 70, BLOCK_ROWS + 70, ROWS - 1],
  [{ name: ['zw'] }, 70, BLOCK_ROWS + 70, ROWS - 1],
  [{ name: ['person zwinglis'] }],
  [{ name: ['zwick person'] }, BLOCK_ROWS + 70],
  [{ account_number: ['ACCT00000070'] }, 70],
  [{ account_ending: ['0070'] }, 70],
  [{ account_ending: ['00001070'] }, BLOCK_ROWS + 70],
  [{ name: ['-'] }],
]
const idsAt = (rows: readonly number[]) => rows.toReversed().map(row => madeAt('bnf', row))

test('search of names, without blocks, with blocks, and once more: the same rows, newest first', async () => {
  const check = async () => {
    for (const [filters, ...rows] of SEARCHES) {
      assert.deepEqual(await find(filters), idsAt(rows), JSON.stringify(filters))
    }
    assert.equal((await find({ name: ['person'] }, 10)).length, 10)
    const { ids } = await list(account, PATH, { name: 'zwi', limit: '2' })
    assert.deepEqual(ids, idsAt([BLOCK_ROWS + 70, ROWS - 1]))
    const older = { name: 'zwi', starting_after: ids[1] ?? '' }
    assert.deepEqual((await list(account, PATH, older)).ids, idsAt([70]))
  }
  await check()
  assert.equal(await rangesOf({ name: ['zwingli'] }), undefined)
  assert.equal(await index(), 2)
  await check()
  assert.equal(await index(), 0)
})

test('search of a rare name, blocks added: reads its block and the rows after the last block', async () => {
  await index()
  const ranges = await rangesOf({ name: ['zwickau'] })
  assert.deepEqual(ranges, [
    { after_id: madeAt('bnf', BLOCK_ROWS), last_id: madeAt('bnf', 2 * BLOCK_ROWS) },
    { after_id: madeAt('bnf', 2 * BLOCK_ROWS), last_id: '~' },
  ])
  // Every row has this word, so a search of all rows ends with its page.
  assert.equal((await rangesOf({ name: ['person'] }))?.length, 3)
  const read = (tx: Parameters<typeof findIdsByText>[0]) =>
    findIdsByText(tx, 'beneficiaries', account_id, partsOf({ name: ['zwickau'] }), 20)
  const { result, ...cost } = await costOf(service.deps.reads, 'beneficiaries', read, account_id)
  assert.deepEqual(result, idsAt([BLOCK_ROWS + 70]))
  assert.equal(cost.scans, 0)
})

test('beneficiary of a block, name changed: found by the new name alone, before and after its block is added again', async () => {
  await index()
  const id = madeAt('bnf', 500)
  const renamed = await account.put(`${PATH}/${id}`, { ...bankBeneficiary, name: 'Quetzal Ho' })
  assert.equal(renamed.status, 200, renamed.text)
  const ranges = async () => (await rangesOf({ name: ['quetzal'] }))?.map(r => r.after_id)
  assert.deepEqual(await ranges(), ['', madeAt('bnf', 2 * BLOCK_ROWS)])
  assert.deepEqual(await find({ name: ['quetzal'] }), [id])
  assert.equal(await index(), 1)
  assert.deepEqual(await find({ name: ['quetzal ho'] }), [id])
  assert.deepEqual(await find({ name: ['zwingli'] }), idsAt([70]))
  // The bits have these words already, so the block stays.
  await account.put(`${PATH}/${id}`, { name: 'Ho Quetzal' })
  assert.equal(await index(), 0)
})

test('beneficiary of a block, erased: its block is deleted and added again without it', async () => {
  await index()
  const id = madeAt('bnf', BLOCK_ROWS + 70)
  const before = await rangesOf({ name: ['zwickau'] })
  const { context, close } = await openContext(service, 'olga')
  await eraseBy(context, id)
  await close()
  assert.equal(await index(), 1)
  assert.deepEqual(await find({ name: ['zwickau'] }), [])
  assert.equal(before?.length, 2)
  assert.equal((await rangesOf({ name: ['zwickau'] }))?.length, 1)
})

const NAMES = Array.from('abcdefghijklmnopqrst', letter => `${letter}xaver`)

test('names changed while blocks are added, in parallel: each found by its last name', async () => {
  const { deps } = service
  await deps.sql.begin(async tx => {
    await tx`select set_config('corridor.accounts', ${account_id}, true)`
    await tx`delete from search_blocks where account_id = ${account_id}`
  })
  const ids = NAMES.map((_, i) => madeAt('bnf', 30 + i * 90))
  await Promise.all([
    index(),
    index(),
    ...ids.map((id, i) => account.put(`${PATH}/${id}`, { name: `Ulrike ${NAMES[i]}` })),
  ])
  await index()
  for (const [i, id] of ids.entries()) {
    assert.deepEqual(await find({ name: [`${NAMES[i]} ulrike`] }), [id], String(i))
  }
})

test('signs of a text: every search that the text fits has only signs among them', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 14 })
  const words = fc.array(word, { minLength: 1, maxLength: 4 })
  const metadata = fc.dictionary(word, word, { maxKeys: 3 })
  const values = fc.record({ names: words, email: word, account: word, reference: word, metadata })
  fc.assert(
    fc.property(values, fc.nat(14), (of, length) => {
      const text = foundBy(of)
      const filters: SearchFilters = {
        name: of.names.map(name => name.slice(0, length)),
        email: [of.email],
        account_number: [of.account],
        account_ending: [of.account.slice(-length)],
        reference: [of.reference],
      }
      const signs = new Set(signsOf(text))
      for (const part of partsOf(filters)) {
        const sign = signOf(part)
        if (!text.includes(part) || sign === undefined) continue
        assert.ok(signs.has(sign), JSON.stringify([text, part, sign]))
      }
    }),
    { numRuns: share(300, 10_000) },
  )
})
