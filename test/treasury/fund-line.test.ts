// A bank's line that a funding names: it funds an account only while it is open, for no more than
// it has, and a large one only as another person has proposed; in TypeScript and in PostgreSQL.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { creditAll } from '../../src/app/worker/credit-lines.ts'
import { bookingWrite } from '../../src/operator/funding.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { matchByPerson } from '../../src/treasury/match/by-person.ts'
import { balancesOf } from '../support/assert/check.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { operateWrite } from '../support/service/operate.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { giveLines } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let ada: Cli
let ben: Cli
let account: Client
let another: Client
let third: Client
const EUR = { name: 'eur_main', currency: 'EUR' }

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  ada = await openCli(service.database.url, { CORRIDOR_USER: 'Ada Lee' })
  ben = await openCli(service.database.url, { CORRIDOR_USER: 'ben' })
  const add = 'nostro add eur_main EUR 0 --two-people-from 1000.00'
  await succeed(ada, ...add.split(' '))
  await succeed(ada, ...'nostro add eur_own EUR 0 --purpose own'.split(' '))
  account = await service.openAccount({ currencies: ['EUR', 'USD'], sandbox: false })
  another = await service.openAccount({ currencies: ['EUR'], sandbox: false })
  third = await service.openAccount({ currencies: ['EUR'], sandbox: false })
})
after(async () => {
  await Promise.all([ada.close(), ben.close()])
  await service.close()
})

let references = 0
const idOf = (client: Client) => client.account.account_id

async function comesIn(amount: bigint, bank_reference = ''): Promise<string> {
  const [id] = await giveLines(owner, EUR, [{ amount, bank_reference }])
  return `line_${id}`
}

interface Asked {
  readonly to?: Client
  readonly amount?: string
  readonly currency?: string
  readonly more?: readonly string[]
}

/** The words that fund an account with money of a line, in a reference of its own. */
function fund(
  line: string,
  { to = account, amount = '50.00', currency = 'EUR', more = [] }: Asked,
) {
  const source = `esc_${line.replace('_', '')}`
  const reference = `F-${String(++references).padStart(8, '0')}`
  const given = ['--reference', reference, '--source', source, ...more]
  return ['fund', idOf(to), currency, amount, ...given]
}

async function refused(cli: Cli, ...words: readonly string[]): Promise<string> {
  const { code, stderr } = await cli.run(...words)
  assert.notEqual(code, 0, `${words.join(' ')}: ${stderr}`)
  return stderr
}

interface Unchecked {
  readonly by?: string
  readonly to?: Client
  readonly nostro?: string
  readonly reference?: string
}

/** The same funding, without the checks of the command. */
function fundUnchecked(
  line: string,
  amount: bigint,
  { by = 'ben', to = account, reference, ...more }: Unchecked = {},
) {
  const source = `esc_${line.replace('_', '')}`
  const money = { account_id: idOf(to), currency: 'EUR', amount, source, ...more }
  const grounds = {
    reference: reference ?? `U-${String(++references).padStart(8, '0')}`,
    reason: '',
  }
  return operateWrite(service, bookingWrite(by, { kind: 'funding', ...money, ...grounds }))
}

async function deriveAll(): Promise<void> {
  while ((await deriveSome(service.deps)).journals > 0n);
}

const USES: Readonly<Record<string, (line: string) => Promise<unknown>>> = {
  booked: line => succeed(ada, 'nostro', 'book', line, '--as', 'own_funds'),
  returned: line => succeed(ada, 'nostro', 'return', line, '--reason', 'No customer'),
  async matched(line) {
    const debit = await comesIn(-5_000n)
    await succeed(ada, 'nostro', 'match', '--lines', `${line},${debit}`)
  },
}

for (const [used, use] of Object.entries(USES)) {
  test(`line that is ${used}: funds no account afterwards, by the command and by PostgreSQL`, async () => {
    const line = await comesIn(5_000n)
    const before = await balancesOf(account)
    await use(line)
    assert.match(await refused(ben, ...fund(line, {})), /funds no account: it is in match_\d+/)
    await assert.rejects(fundUnchecked(line, 5_000n), /is no open credit of EUR 5000/)
    assert.deepEqual(await balancesOf(account), before)
  })
}

test('line that funds an account: booked, returned and matched by nobody, nor given to another one', async () => {
  const line = await comesIn(5_000n)
  await succeed(ada, ...fund(line, {}))
  const debit = await comesIn(-5_000n)
  for (const words of [
    ['book', line, '--as', 'own_funds'],
    ['return', line, '--reason', 'No customer'],
    ['match', '--lines', `${line},${debit}`],
  ]) {
    assert.match(await refused(ada, 'nostro', ...words), /is credited to an account/)
  }
  const second = fund(line, { to: another })
  assert.match(await refused(ada, ...second), /line_\d+ is credited to an account/)
  await refused(ada, ...second, '--split')
})

test('line split over accounts: its parts are together no more than it, in TypeScript and in PostgreSQL', async () => {
  const line = await comesIn(5_000n)
  const part = (to: Client, amount: string) => fund(line, { to, amount, more: ['--split'] })
  const made = await succeed(ada, ...part(account, '30.00'))
  const more = /line_\d+ has EUR 50\.00, and EUR 20\.00 of it is left: amount is more/
  assert.match(await refused(ada, ...part(another, '20.01')), more)
  const unchecked = fundUnchecked(line, 2_001n, { to: another })
  await assert.rejects(unchecked, /is no open credit of EUR 2001/)
  await succeed(ada, ...part(another, '20.00'))
  assert.match(await refused(ada, ...part(third, '0.01')), /EUR 0\.00 of it is left/)
  await deriveAll()
  assert.match(await refused(ada, ...part(third, '0.01')), /EUR 0\.00 of it is left/)
  const [id = ''] = /btr_\w+/.exec(made) ?? []
  await succeed(ada, 'reverse', id, '--reason', 'Not theirs')
  assert.match(await refused(ada, ...part(third, '30.01')), /EUR 30\.00 of it is left/)
  await succeed(ada, ...part(third, '30.00'))
})

test('two parts of one line at the same moment: together no more than it', async () => {
  const line = await comesIn(5_000n)
  const { parts } = await owner.begin(async tx => {
    await tx`select from bank_lines where id = ${line.slice(5)}::bigint for no key update`
    const parts = [account, another].map(to =>
      fundUnchecked(line, 5_000n, { to }).then(
        () => 'funded',
        error => String(error),
      ),
    )
    while ((await untilBlocked(owner)).length < 2);
    return { parts }
  })
  const ended = await Promise.all(parts)
  assert.equal(ended.filter(one => one === 'funded').length, 1, ended.join('; '))
  assert.match(ended.join('; '), /is no open credit of EUR 5000/)
})

test('line of which an account has a part: credited by no person and by no key, derived or not', async () => {
  const text = 'for WXYZ12345678'
  const key = ['reference', '--nostro', 'eur_main', '--value', 'WXYZ12345678']
  await succeed(ada, 'funding-key', 'add', idOf(third), ...key)
  const [split] = await giveLines(owner, EUR, [{ amount: 4_000n, text }])
  const line = `line_${split}`
  await succeed(ada, ...fund(line, { amount: '10.00' }))
  const before = BigInt((await balancesOf(third)).EUR ?? 0)
  const credit = ['nostro', 'credit', line, idOf(another), '--reason', 'Theirs']
  for (const _ of ['not derived', 'derived']) {
    assert.match(await refused(ada, ...credit), /line_\d+ is credited to an account/)
    await creditAll(service.deps)
    assert.equal(BigInt((await balancesOf(third)).EUR ?? 0), before)
    await deriveAll()
  }
  await giveLines(owner, EUR, [{ amount: 700n, text }])
  await creditAll(service.deps)
  assert.equal(BigInt((await balancesOf(third)).EUR ?? 0) - before, 700n)
})

test('source with a zero before the number of its line, or with too many digits: refused, in TypeScript and in PostgreSQL', async () => {
  const line = await comesIn(5_000n)
  for (const other of [line.replace('_', '_0'), 'line_0', `line_${'9'.repeat(19)}`]) {
    assert.match(await refused(ada, ...fund(other, {})), /esc_line\d+ names no line/)
    await assert.rejects(fundUnchecked(other, 5_000n), /esc_line\d+ is no open credit/, other)
  }
})

test('line whose fundings are more than it: verify names it, derived or not', async () => {
  const line = await comesIn(5_000n)
  await succeed(ada, ...fund(line, {}))
  for (const _ of ['not derived', 'derived']) {
    const found = await undone(owner, async tx => {
      await tx.unsafe('alter table bank_lines disable trigger user')
      await tx`update bank_lines set amount = 4999 where id = ${line.slice(5)}::bigint`
      const verdict = await verdictIn(tx, true)
      return verdict.ok ? [] : verdict.problems.map(({ key, found }) => `${key}: ${found}`)
    })
    assert.ok(found.includes(`fundings of ${line}: 5000`), found.join('; '))
    await deriveAll()
  }
})

test('funding of a line that is being booked at the same moment: waits, and is refused', async () => {
  const line = await comesIn(5_000n)
  const number = BigInt(line.slice(5))
  const funded = await owner.begin(async tx => {
    await tx`update bank_lines set match = null where id = ${number}::bigint`
    const funded = fundUnchecked(line, 5_000n).then(
      () => 'funded',
      error => String(error),
    )
    await Promise.race([funded, untilBlocked(owner)])
    const asked = { lines: [number], items: [], rest_as: 'own_funds', note: '', by: 'ada' } as const
    await matchByPerson(tx, asked)
    return { funded }
  })
  assert.match(await funded.funded, /is no open credit of EUR 5000/)
})

test('line of another amount, currency or account at a bank, or unknown: refused by name', async () => {
  const line = await comesIn(5_000n)
  assert.match(
    await refused(ada, ...fund(line, { amount: '50.01' })),
    /line_\d+ has EUR 50\.00: amount is more/,
  )
  assert.match(await refused(ada, ...fund(line, { currency: 'USD' })), /line_\d+ is in EUR/)
  const elsewhere = fund(line, { more: ['--nostro', 'eur_own'] })
  assert.match(await refused(ada, ...elsewhere), /line_\d+ is on eur_main/)
  const other = fundUnchecked(line, 5_000n, { nostro: 'eur_own' })
  await assert.rejects(other, /is no open credit of EUR 5000/)
  assert.match(await refused(ada, ...fund('line_999999', {})), /line_999999/)
  await assert.rejects(fundUnchecked(line, 5_001n), /is no open credit of EUR 5001/)
  const debit = await comesIn(-5_000n)
  assert.match(await refused(ada, ...fund(debit, {})), /line_\d+ funds no account: it is a debit/)
  const [dollars] = await giveLines(owner, EUR, [{ amount: 100n, currency: 'USD' }])
  const in_dollars = fund(`line_${dollars}`, { amount: '1.00', currency: 'USD' })
  assert.match(await refused(ada, ...in_dollars), /it is in USD, and eur_main in EUR/)
  const [returned] = await giveLines(owner, EUR, [{ amount: 100n, code: 'PMNT/RCDT/RRTN' }])
  const came_back = fund(`line_${returned}`, { amount: '1.00' })
  assert.match(await refused(ada, ...came_back), /its code PMNT\/RCDT\/RRTN is that of a payment/)
})

test('large credit, funded by its line: by nobody alone, in TypeScript and in PostgreSQL', async () => {
  const line = await comesIn(200_000n)
  const NEEDED = /needs two people: somebody else first proposes acc_\w+ for line_\d+/
  const all = { amount: '2000.00' }
  assert.match(await refused(ada, ...fund(line, all)), NEEDED)
  assert.match(await refused(ada, ...fund(line, { ...all, amount: '1.00' })), NEEDED, 'a part')
  await assert.rejects(fundUnchecked(line, 200_000n, { by: 'Ada Lee' }), /by one person/)
  await succeed(ada, 'nostro', 'propose', line, idOf(account), '--note', 'By mail')
  assert.match(await refused(ada, ...fund(line, all)), NEEDED)
  assert.match(await refused(ben, ...fund(line, { ...all, to: another })), NEEDED)
  for (const name of ['Ada Lee', 'ADA LEE', 'ada  lee', ' adalee ']) {
    await assert.rejects(fundUnchecked(line, 200_000n, { by: name }), /by one person/, name)
  }
  const twin = await openCli(service.database.url, { CORRIDOR_USER: 'ADA  lee' })
  assert.match(await refused(twin, ...fund(line, all)), NEEDED)
  await twin.close()
  await succeed(ben, ...fund(line, all))
})

test('large funding without a line, where two people decide: refused, in TypeScript and in PostgreSQL', async () => {
  const words = ['fund', idOf(account), 'EUR', '1000.00', '--reference', 'LARGE-0001']
  const NEEDED = /EUR 1,?000\.00 on eur_main needs two people/
  assert.match(await refused(ada, ...words), NEEDED)
  assert.match(await refused(ada, ...words, '--nostro', 'eur_main'), NEEDED)
  await assert.rejects(fundUnchecked('other', 100_000n), /without a line needs two people/)
  await succeed(ada, ...words, '--nostro', 'eur_own')
  await succeed(ada, 'fund', idOf(account), 'EUR', '999.99', '--reference', 'SMALL-0001')
})

test('line whose reference has funded an account: neither returned nor booked, derived or not', async () => {
  const reference = 'BANKREF-000042'
  const line = await comesIn(5_000n, reference)
  await succeed(ada, 'fund', idOf(account), 'EUR', '40.00', '--reference', 'bankref-0000 42')
  const ways = [
    ['return', line, '--reason', 'No customer'],
    ['book', line, '--as', 'own_funds'],
  ]
  for (const words of ways) {
    assert.match(await refused(ada, 'nostro', ...words), /has the key of what was just booked/)
  }
  await deriveAll()
  for (const words of ways) {
    assert.match(await refused(ada, 'nostro', ...words), /has the key of an open item/)
  }
  const [item] = await owner<{ id: bigint }[]>`
    select id from nostro_items where key = ${reference}`
  const match = ['--lines', line, '--items', `item_${item?.id}`, '--rest-as', 'own_funds']
  await succeed(ada, 'nostro', 'match', ...match)
})

test('line that is returned while its reference funds an account: not returned', async () => {
  const reference = 'AT-ONCE-000042'
  const line = await comesIn(5_000n, reference)
  const { funded, returned } = await owner.begin(async tx => {
    // The funding has its journal, and does not commit.
    await tx`lock table audit_log in share row exclusive mode`
    const funded = ben.run('fund', idOf(account), 'EUR', '50.00', '--reference', reference)
    await Promise.race([funded, untilBlocked(owner)])
    const returned = ada.run('nostro', 'return', line, '--reason', 'No customer')
    while ((await untilBlocked(owner)).length < 2);
    return { funded, returned }
  })
  assert.equal((await funded).code, 0)
  assert.match((await returned).stderr, /has the key of what was just booked/)
})

for (const [used, use] of Object.entries(USES)) {
  test(`reference of a line that is ${used}: funds no account, by the command and by PostgreSQL`, async () => {
    const reference = `SPENT-${used}-01`
    const line = await comesIn(5_000n, reference)
    await use(line)
    const words = ['fund', idOf(account), 'EUR', '50.00', '--reference', reference.toLowerCase()]
    assert.match(await refused(ada, ...words), /line_\d+ has the reference .* no account’s money/)
    const unchecked = fundUnchecked('other', 5_000n, { reference: ` ${reference} ` })
    await assert.rejects(unchecked, /the money of line \d+ is no account's/)
    const again = await comesIn(5_000n, reference)
    const source = `esc_${again.replace('_', '')}`
    await succeed(ada, ...words, '--source', source)
  })
}

test('line on an account for the house, or on a closed one: funds no account, in TypeScript and in PostgreSQL', async () => {
  await succeed(ada, ...'nostro add eur_shut EUR 0'.split(' '))
  const why = { eur_own: /eur_own has the house’s own money/, eur_shut: /eur_shut is closed/ }
  for (const [name, refusal] of Object.entries(why)) {
    const [id] = await giveLines(owner, { name, currency: 'EUR' }, [{ amount: 5_000n }])
    if (name === 'eur_shut') await owner`update nostros set closed_at = now() where name = ${name}`
    assert.match(await refused(ada, ...fund(`line_${id}`, {})), refusal)
    await assert.rejects(fundUnchecked(`line_${id}`, 5_000n), /is no open credit of EUR 5000/)
  }
})

interface Meanwhile {
  /** What is funded, as ben does it. */
  readonly words: readonly string[]
  /** What happens after the command has looked, and before it books. */
  readonly change: () => PromiseLike<unknown>
  readonly refusal: RegExp
}

const MEANWHILE: Readonly<Record<string, () => Promise<Meanwhile>>> = {
  async 'account at the bank closed'() {
    await succeed(ada, ...'nostro add eur_late EUR 0'.split(' '))
    const [id] = await giveLines(owner, { name: 'eur_late', currency: 'EUR' }, [{ amount: 5_000n }])
    const close = () => owner`update nostros set closed_at = now() where name = 'eur_late'`
    const refusal = /The line was matched or credited meanwhile/
    return { words: fund(`line_${id}`, {}), change: close, refusal }
  },
  async 'something else proposed'() {
    const line = await comesIn(200_000n)
    const propose = (to: string) => succeed(ada, 'nostro', 'propose', line, to, '--note', 'By mail')
    await propose(idOf(account))
    const words = fund(line, { amount: '2000.00' })
    const refusal = /Another person first proposes this account/
    return { words, change: () => propose('return'), refusal }
  },
  async 'a limit set'() {
    await succeed(ada, ...'nostro add usd_main USD 0'.split(' '))
    const words = ['fund', idOf(account), 'USD', '50.00', '--reference', 'LIMIT-0001']
    const limit = () => owner`
      update nostros set settings = settings || '{"two_people_from": "5000"}'
      where name = 'usd_main'`
    return { words, change: limit, refusal: /This much needs two people/ }
  },
  async 'its money returned'() {
    const line = await comesIn(5_000n, 'MEANWHILE-0001')
    const words = ['fund', idOf(account), 'EUR', '50.00', '--reference', 'MEANWHILE-0001']
    const back = () => succeed(ada, 'nostro', 'return', line, '--reason', 'No customer')
    return { words, change: back, refusal: /A credit with this reference is no account’s money/ }
  },
}

for (const [what, prepare] of Object.entries(MEANWHILE)) {
  test(`funding, ${what} before it is booked: refused in words, balance unchanged`, async () => {
    const { words, change, refusal } = await prepare()
    const before = await balancesOf(account)
    const { ran } = await owner.begin(async tx => {
      await tx`select from books where account_id = ${idOf(account)} for update`
      const ran = ben.run(...words)
      await Promise.race([ran, untilBlocked(owner)])
      await change()
      return { ran }
    })
    const { code, stderr } = await ran
    assert.equal(code, 1, stderr)
    assert.match(stderr, refusal)
    assert.deepEqual(await balancesOf(account), before)
  })
}
