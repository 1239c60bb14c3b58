// Money that comes in: credited once to the account that its key names, and otherwise left for a
// person, who credits it with a reason.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { creditAll } from '../../src/app/worker/credit-lines.ts'
import { startMatching } from '../../src/app/worker/match-lines.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import {
  accountOf,
  type CreditLine,
  type FundingKey,
  referencesIn,
} from '../../src/treasury/funding-key.ts'
import { newFundingReference } from '../../src/treasury/funding-reference.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { listNostros } from '../../src/treasury/nostro-store.ts'
import { referenceFault } from '../../src/values/network/creditor-reference.ts'
import { verify } from '../../src/verify/run.ts'
import { balancesOf } from '../support/assert/check.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { until } from '../support/service/process.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { readLists, readUnList, requireLists, takeUnList } from '../support/service/un-list.ts'
import { type GivenLine, giveLines } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let cli: Cli
let account: Client
let other: Client
const NOSTRO = { name: 'eur_main', currency: 'EUR' }

before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  await run('nostro', 'add', 'eur_main', 'EUR', '0', '--account', 'DE89 3704 0044 0532 0130 00')
  account = await service.openAccount({ currencies: ['EUR'], sandbox: false })
  other = await service.openAccount({ currencies: ['EUR'], sandbox: false })
})
after(async () => {
  await cli.close()
  await service.close()
})

const run = (...words: string[]) => succeed(cli, ...words)

async function addKey({ account: { account_id } }: Client, kind: string, value?: string) {
  const words = ['funding-key', 'add', account_id, kind, '--nostro', 'eur_main', '--json']
  return JSON.parse(await run(...words, ...(value === undefined ? [] : ['--value', value])))
}

const balanceOf = async (client: Client) => (await balancesOf(client)).EUR

/** How far the balance of the account rises when these lines come in. */
async function credited(client: Client, ...lines: GivenLine[]): Promise<bigint> {
  const before = BigInt((await balanceOf(client)) ?? 0)
  await giveLines(owner, NOSTRO, lines)
  await creditAll(service.deps)
  return BigInt((await balanceOf(client)) ?? 0) - before
}

test('new funding reference: its check digits hold, and payers may write it with blanks', async () => {
  const { value } = await addKey(account, 'reference')
  assert.equal(referenceFault(value), undefined)
  const written = value
    .match(/.{1,4}/g)
    .join(' ')
    .toLowerCase()
  assert.equal(
    await credited(account, { amount: 12_345n, text: `Invoice 7, ${written}. Thanks` }),
    12_345n,
  )
  for (let i = 0; i < 100; i += 1) assert.equal(referenceFault(newFundingReference()), undefined)
})

test('payment to a virtual IBAN, told three times over: credited once, with its item on the nostro', async () => {
  await addKey(account, 'virtual_iban', 'DE02 5001 0517 0137 0750 30')
  const line = { amount: 700n, own_account: 'DE02500105170137075030', bank_reference: 'BR-1' }
  assert.equal(await credited(account, line), 700n)
  await Promise.all([creditAll(service.deps), creditAll(service.deps)])
  assert.equal(await credited(account), 0n)
  while ((await deriveSome(service.deps)).journals > 0n);
  const [item] = await owner<Record<string, unknown>[]>`
    select nostro, amount, key, instruction from nostro_items where amount = 700`
  const [own] = await owner<{ id: bigint }[]>`select id from bank_lines where amount = 700`
  const expected = { nostro: 'eur_main', amount: 700n, key: 'BR-1', instruction: `line_${own?.id}` }
  assert.deepEqual({ ...item }, expected)
})

for (const [name, line] of Object.entries({
  'no key': { amount: 11n, text: 'Hello' },
  'debit with a key': { amount: -11n, own_account: 'DE02500105170137075030' },
  'part of a reference': { amount: 11n, text: 'RF' },
} satisfies Record<string, GivenLine>)) {
  test(`${name}: stays in suspense`, async () => {
    assert.equal(await credited(account, line), 0n)
  })
}

test('keys of two accounts in one payment: stays in suspense', async () => {
  await addKey(account, 'virtual_iban', 'DE75512108001245126199')
  await addKey(other, 'payer_account', 'FR7630006000011234567890189')
  const line = {
    amount: 13n,
    own_account: 'DE75512108001245126199',
    counterparty: 'FR7630006000011234567890189',
  }
  assert.equal(await credited(account, line), 0n)
  assert.equal(await credited(other), 0n)
})

test('two equal payments with one reference of the bank: each is credited', async () => {
  const line = { amount: 21n, own_account: 'DE02500105170137075030', bank_reference: 'NONREF' }
  assert.equal(await credited(account, line, line), 42n)
})

test('payment that a person has booked already: the same reference credits nothing', async () => {
  const { account_id } = account.account
  await run('fund', account_id, 'EUR', '0.31', '--reference', 'BR-31')
  const line = { amount: 31n, own_account: 'DE02500105170137075030', bank_reference: 'br-31' }
  assert.equal(await credited(account, line), 0n)
})

const OWN = 'DE68210501700012345678'

test('payment that a person has booked by another of its ids: credits nothing, whatever runs first', async () => {
  await addKey(account, 'virtual_iban', OWN)
  const { account_id } = account.account
  await run('fund', account_id, 'EUR', '0.37', '--reference', 'E2E-OF-THE-PAYER')
  while ((await deriveSome(service.deps)).journals > 0n);
  const line = { amount: 37n, own_account: OWN, bank_reference: 'BR-37' }
  assert.equal(await credited(account, { ...line, end_to_end_id: 'e2e-of-the-payer' }), 0n)
})

for (const code of ['PMNT/RCDT/RRTN', 'NRTI', 'RRTN']) {
  test(`payment with the code ${code} of a return: stays in suspense`, async () => {
    const counterparty = `PAYER-${code}`
    await addKey(account, 'payer_account', counterparty)
    assert.equal(await credited(account, { amount: 53n, counterparty, code }), 0n)
  })
}

test('lines that do not sum to the closing balance of the bank: none is credited until they do', async () => {
  await addKey(account, 'virtual_iban', 'DE12500105170648489890')
  const move = async (by: number) => {
    await owner.unsafe('alter table bank_statements disable trigger user')
    await owner`update bank_statements set opening = opening + ${by}, closing = closing + ${by}`
    await owner.unsafe('alter table bank_statements enable trigger user')
  }
  const before = await balanceOf(account)
  await giveLines(owner, NOSTRO, [{ amount: 59n, own_account: 'DE12500105170648489890' }])
  await move(5)
  await creditAll(service.deps)
  assert.equal(await balanceOf(account), before)
  await move(-5)
  assert.equal(await credited(account), 59n)
})

test('open items that cannot be folded: a line with a key is credited all the same', async () => {
  const { value } = await addKey(account, 'reference')
  const before = BigInt((await balanceOf(account)) ?? 0)
  await owner`revoke execute on function fold_open_days() from corridor_service`
  const matching = startMatching(service.deps)
  try {
    await giveLines(owner, NOSTRO, [{ amount: 61n, text: value }])
    await until('the line is credited', async () => {
      return BigInt((await balanceOf(account)) ?? 0) === before + 61n
    })
  } finally {
    await matching.stop()
    await owner`grant execute on function fold_open_days() to corridor_service`
  }
})

test('key that has ended: stays in suspense', async () => {
  const { id } = await addKey(other, 'virtual_iban', 'DE91100000000123456789')
  await run('funding-key', 'end', id)
  assert.equal(await credited(other, { amount: 17n, own_account: 'DE91100000000123456789' }), 0n)
})

test('key of another account: refused, and nothing is written', async () => {
  const { account_id } = other.account
  const words = ['funding-key', 'add', account_id, 'virtual_iban', '--nostro', 'eur_main']
  const { code, stderr } = await cli.run(...words, '--value', 'DE02500105170137075030')
  assert.equal(code, 2)
  assert.match(stderr, /this virtual_iban is fundkey_\d+ of acc_/)
})

test('GET /v3/funding_instruction: the account’s keys with the bank, and no other account’s', async () => {
  const { json } = await account.get('/v3/funding_instruction')
  const shown = json.data.instructions.map((one: Record<string, string>) => one.account)
  assert.equal(shown[0], 'DE89370400440532013000')
  assert.ok(shown.includes('DE02500105170137075030'))
  assert.ok(!shown.includes('DE91100000000123456789'), 'of the other account, and ended')
})

test('payer whom a list may name: in suspense, also while the lists are missing; others are credited', async () => {
  await addKey(account, 'virtual_iban', 'DE27100777770209299700')
  const from = (amount: bigint, counterparty_name: string) => {
    return { amount, own_account: 'DE27100777770209299700', counterparty_name }
  }
  await requireLists(service, 'un')
  assert.equal(await credited(account, from(41n, 'Lucia Chen')), 0n, 'no list is there')
  await takeUnList(service, await readUnList())
  await readLists(service)
  assert.equal(await credited(account, from(43n, 'Eric Badege')), 41n)
  assert.equal(await credited(account), 0n)
})

test('credit by a person: one account, once, with the reason; then its line is matched and nothing is left', async () => {
  const { account_id } = account.account
  const [id] = await giveLines(owner, NOSTRO, [{ amount: 5_151n, text: 'no key' }])
  const words = ['nostro', 'credit', `line_${id}`]
  const shown = await run(...words, account_id, '--reason', 'Invoice 118, by mail')
  assert.match(shown, /escrow EUR 51\.51, reference line_\d+/)
  const again = await cli.run(...words, other.account.account_id, '--reason', 'No, theirs')
  assert.equal(again.code, 1)
  assert.match(again.stderr, /line_\d+ is credited to an account/)
  while ((await deriveSome(service.deps)).journals > 0n);
  const nostro = (await listNostros(owner)).find(({ name }) => name === NOSTRO.name)
  await matchNostro(service.deps.sql, nostro ?? assert.fail())
  const [line] = await owner<{ rule: string }[]>`
    select m.rule from bank_lines l join matches m on m.id = l.match where l.id = ${id ?? 0n}`
  assert.equal(line?.rule, 'key')
  const late = await cli.run(...words, account_id, '--reason', 'Again')
  assert.match(late.stderr, /line_\d+ funds no account: it is in match_\d+/)
  const verdict = await verify(owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
})

const LINE: CreditLine = {
  ...{ id: 1n, nostro: 'eur_main', currency: 'EUR', amount: 1n, booked_on: '2026-11-30' },
  ...{ bank_reference: '', end_to_end_id: '', uetr: '', own_account: '', counterparty: '' },
  ...{ counterparty_name: '', text: '', instruction: '' },
  ...{ reference_repeats: false, names_payout: false, keys_before: null },
}
const KEY: FundingKey = {
  ...{ id: 1n, account_id: 'acc_1', kind: 'reference', value: 'ABC12345', nostro: 'eur_main' },
  ...{ currency: 'EUR', made_at: '', made_by: 'olga', ended_at: null },
}

test('reference in a text: whole words alone, in any case', () => {
  const names = (text: string) => accountOf({ ...LINE, text }, [KEY]).account_id
  for (const text of ['abc12345', 'for ABC12345, thanks', 'ref:ABC12345']) {
    assert.equal(names(text), 'acc_1', text)
  }
  for (const text of ['xABC12345', 'ABC123456', 'ABC 12345', 'ABC-12345', '']) {
    assert.equal(names(text), null, text)
  }
  assert.ok(referencesIn('a '.repeat(5_000)).size <= 10)
})

test('line that names a payout, or is in another currency: no account', () => {
  const line = { ...LINE, text: 'ABC12345' }
  assert.equal(accountOf({ ...line, names_payout: true }, [KEY]).account_id, null)
  assert.equal(accountOf(line, [{ ...KEY, currency: 'USD' }]).account_id, null)
  assert.equal(accountOf(line, [{ ...KEY, nostro: 'eur_other' }]).account_id, null)
})
