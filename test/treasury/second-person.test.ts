// Large credits in suspense, where their nostro asks for two people: nobody decides alone whose the
// money is, whichever way.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { balancesOf } from '../support/assert/check.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { giveLines } from '../support/treasury/open-rows.ts'

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
  assert.match(await propose(line, 'me'), /to is an account, return, or one of cost/)
  assert.match(await propose(await comesIn(-5n), 'return'), /is no open credit/)
  assert.match(
    await mayNot('somebody', 'nostro', 'propose', line, 'return', ...NOTE),
    /CORRIDOR_USER/,
  )
  assert.match(await does('ada', 'nostro', 'show', 'eur_main'), /eur_main/)
})
