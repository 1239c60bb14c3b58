// Large credits in suspense, where their nostro asks for two people: nobody decides alone whose the
// money is, whichever way.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { creditAll } from '../../src/app/worker/credit-lines.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { listNostros } from '../../src/treasury/nostro-store.ts'
import { balancesOf } from '../support/assert/check.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { giveItems, giveLines } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let clis: readonly Cli[]
let account: Client
let another: Client
const NOSTRO = { name: 'eur_main', currency: 'EUR' }

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  const { url } = service.database
  clis = await Promise.all([
    openCli(url, { CORRIDOR_USER: 'ada' }),
    openCli(url, { CORRIDOR_USER: 'ben' }),
    openCli(url, {}),
  ])
  const add = 'nostro add eur_main EUR 0 --two-people-from 100.00'
  await does('ada', ...add.split(' '))
  await does('ada', 'nostro', 'add', 'eur_own', 'EUR', '0', '--purpose', 'own')
  account = await service.openAccount({ currencies: ['EUR'], sandbox: false })
  another = await service.openAccount({ currencies: ['EUR'], sandbox: false })
})
after(async () => {
  await Promise.all(clis.map(cli => cli.close()))
  await service.close()
})

type Who = 'ada' | 'ben' | 'somebody'
const cliOf = (who: Who) => clis[{ ada: 0, ben: 1, somebody: 2 }[who]] ?? assert.fail()

async function does(who: Who, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await cliOf(who).run(...words)
  assert.equal(code, 0, stderr)
  return stdout
}

async function mayNot(who: Who, ...words: string[]): Promise<string> {
  const { code, stderr } = await cliOf(who).run(...words)
  assert.notEqual(code, 0, words.join(' '))
  return stderr
}

async function comesIn(amount: bigint): Promise<string> {
  const [id] = await giveLines(owner, NOSTRO, [{ amount }])
  return `line_${id}`
}

const idOf = ({ account: { account_id } }: Client) => account_id
const NOTE = ['--note', 'By mail']
const WHY = ['--reason', 'By mail']
const NEEDED = /needs two people: somebody else first proposes \S+ for line_\d+/

/** Each way to decide whose the money of a line is, as what it is proposed and done. */
const WAYS: readonly (readonly [string, () => string, (line: string) => string[]])[] = [
  ['credit', () => idOf(account), line => ['nostro', 'credit', line, idOf(account), ...WHY]],
  ['return', () => 'return', line => ['nostro', 'return', line, ...WHY]],
  ['book', () => 'own_funds', line => ['nostro', 'book', line, '--as', 'own_funds']],
]

for (const [name, to, way] of WAYS) {
  test(`nostro ${name} of a large credit: by nobody alone; by another person as proposed`, async () => {
    const line = await comesIn(10_000n)
    assert.match(await mayNot('ada', ...way(line)), NEEDED)
    await does('ada', 'nostro', 'propose', line, to(), ...NOTE)
    assert.match(await mayNot('ada', ...way(line)), NEEDED)
    assert.match(await mayNot('somebody', ...way(line)), /Set CORRIDOR_USER to your name/)
    await does('ben', 'nostro', 'propose', line, idOf(another), ...NOTE)
    await mayNot('ben', ...way(line))
    assert.match(await mayNot('ada', ...way(line)), NEEDED, 'the newest proposal is another one')
    await does('ada', 'nostro', 'propose', line, to(), ...NOTE)
    await does('ben', ...way(line))
  })
}

test('large credit matched without an item of an account: by nobody alone, as a match that is proposed', async () => {
  const move = 'house transfer EUR 100.00 --from eur_own --to eur_main'
  await does('ada', ...move.split(' '))
  const [item] = await owner<{ id: bigint }[]>`
    select id from nostro_items where kind = 'house' and nostro = 'eur_main' and amount = 10000
      and match is null`
  const ways: readonly (readonly [bigint, readonly string[]])[] = [
    [-10_000n, []],
    [-9_999n, ['--rest-as', 'own_funds']],
    [0n, ['--items', `item_${item?.id}`]],
  ]
  for (const [other, more] of ways) {
    const line = await comesIn(10_000n)
    const lines = other === 0n ? line : `${line},${await comesIn(other)}`
    const words = ['nostro', 'match', '--lines', lines, ...more]
    assert.match(await mayNot('ada', ...words), /somebody else first proposes match for line_\d+/)
    await does('ada', 'nostro', 'propose', line, 'match', ...NOTE)
    assert.match(await mayNot('ada', ...words), NEEDED)
    await does('ben', ...words)
  }
})

test('large credit matched with small fundings that do not name it: by nobody alone', async () => {
  const line = await comesIn(19_998n)
  const fundings = { amount: 9_999n, kind: 'funding' }
  const items = await giveItems(owner, NOSTRO, [
    { ...fundings, key: 'SLICE-0001' },
    { ...fundings, key: 'SLICE-0002' },
  ])
  const named = items.map(id => `item_${id}`).join(',')
  const words = ['nostro', 'match', '--lines', line, '--items', named]
  assert.match(await mayNot('ada', ...words), /somebody else first proposes match for line_\d+/)
  await does('ada', 'nostro', 'propose', line, 'match', ...NOTE)
  await does('ben', ...words)
})

test('large credit matched with fundings that name it, each as proposed: by one person', async () => {
  const line = await comesIn(19_998n)
  const fundings = { amount: 9_999n, kind: 'funding', instruction: line }
  const items = await giveItems(owner, NOSTRO, [fundings, fundings])
  const named = items.map(id => `item_${id}`).join(',')
  await does('ada', 'nostro', 'match', '--lines', line, '--items', named)
})

test('large credit and items of an account that are it, but for a fee: matched by one person', async () => {
  const line = await comesIn(10_000n)
  const [item] = await giveItems(owner, NOSTRO, [{ amount: 10_010n }])
  const rest = ['--rest-as', 'cost']
  await does('ada', 'nostro', 'match', '--lines', line, '--items', `item_${item}`, ...rest)
})

test('rule of a nostro, and a key of the house: match no large credit by themselves', async () => {
  const words = ['--text', '*GIFT*', '--as', 'interest']
  await does('ada', 'nostro', 'add-rule', 'eur_main', ...words)
  const move = 'house transfer EUR 100.00 --from eur_own --to eur_main --reference SWEEP-0001'
  await does('ada', ...move.split(' '))
  const lines = await giveLines(owner, NOSTRO, [
    { amount: 10_000n, text: 'GIFT' },
    { amount: 9_999n, text: 'GIFT' },
    { amount: 10_000n, end_to_end_id: 'SWEEP-0001' },
  ])
  const nostro = (await listNostros(owner)).find(({ name }) => name === NOSTRO.name)
  await matchNostro(service.deps.sql, nostro ?? assert.fail())
  const open = await owner<{ id: bigint }[]>`
    select id from bank_lines where id = any (${lines.map(String)}::text[]::bigint[])
      and match is null order by id`
  assert.deepEqual(
    open.map(({ id }) => id),
    [lines[0], lines[2]],
  )
})

test('funding key that is newer than a large credit: does not credit it; an older one does', async () => {
  const before = BigInt((await balancesOf(account)).EUR ?? 0)
  const line = { text: 'for ABCD12345678' }
  await giveLines(owner, NOSTRO, [
    { ...line, amount: 20_000n },
    { ...line, amount: 9_998n },
  ])
  const key = ['reference', '--nostro', 'eur_main', '--value', 'ABCD12345678']
  await does('ada', 'funding-key', 'add', idOf(account), ...key)
  const credited = async () => {
    await creditAll(service.deps)
    return BigInt((await balancesOf(account)).EUR ?? 0) - before
  }
  assert.equal(await credited(), 9_998n)
  await giveLines(owner, NOSTRO, [{ ...line, amount: 30_000n }])
  assert.equal(await credited(), 39_998n)
})

test('proposal that a match has used: not used again after the undo', async () => {
  const line = await comesIn(10_000n)
  const book = ['nostro', 'book', line, '--as', 'own_funds']
  await does('ada', 'nostro', 'propose', line, 'own_funds', ...NOTE)
  const { match } = JSON.parse(await does('ben', ...book, '--json'))
  await does('ben', 'nostro', 'undo', match, ...NOTE)
  assert.match(await mayNot('ben', ...book), NEEDED)
  await does('ada', 'nostro', 'propose', line, 'own_funds', ...NOTE)
  await does('ben', ...book)
})

test('credit below the limit: by one person; and after --no-two-people any', async () => {
  const before = BigInt((await balancesOf(another)).EUR ?? 0)
  await does('ada', 'nostro', 'credit', await comesIn(9_999n), idOf(another), ...WHY)
  await does('ada', 'nostro', 'set', 'eur_main', '--no-two-people')
  await does('ada', 'nostro', 'credit', await comesIn(50_000n), idOf(another), ...WHY)
  assert.equal(BigInt((await balancesOf(another)).EUR ?? 0) - before, 59_999n)
})

test('proposal: of an open credit alone, to an account or a way that there is', async () => {
  const line = await comesIn(100n)
  const propose = (...words: string[]) => mayNot('ada', 'nostro', 'propose', ...words, ...NOTE)
  assert.match(await propose(line, 'acc_00000000'), /no account acc_00000000/)
  assert.match(await propose(line, 'me'), /to is an account, or one of return, match, cost/)
  assert.match(await propose(await comesIn(-5n), 'return'), /is no open credit/)
  assert.match(
    await mayNot('somebody', 'nostro', 'propose', line, 'return', ...NOTE),
    /CORRIDOR_USER/,
  )
  assert.match(await does('ada', 'nostro', 'show', 'eur_main'), /eur_main/)
})
