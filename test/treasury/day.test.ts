// A day with a bank: payouts by a file, rejections and returns, and the bank's own statement. The
// books and the bank agree to the cent without a person; with breaks, exactly these are open.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TestBank } from '../../examples/bank/bank.ts'
import { iso20022 } from '../../src/adapters/iso20022/format.ts'
import { takeNewStatements } from '../../src/app/worker/take-statements.ts'
import { listPositions, type Position } from '../../src/treasury/balance-store.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { matchNostro } from '../../src/treasury/match/match-nostro.ts'
import { insertNostro, listNostros } from '../../src/treasury/nostro-store.ts'
import { verify } from '../../src/verify/run.ts'
import { ACCOUNT, type FileRailWorld, fileWorlds } from '../support/bank/file-rail.ts'
import { bankBeneficiary } from '../support/given/bodies.ts'
import { pickSeed, seeded, until } from '../support/service/process.ts'
import type { TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const PAYOUTS = share(120, 5_000)
const BREAKS = share(6, 20)
/** The test bank's balance on its first day, in cents. */
const OPENING = 100_000_000_000n

let service: TestService
const world = fileWorlds('day', started => {
  service = started
})
const random = seeded(pickSeed())

/** Payees whom the bank pays, refuses, and pays but gets the money back from. */
const NAMES = ['Ada Lovelace', 'Zoe Park', 'Sam Lee', 'REJECT AC04 Ltd', 'RETURN MD07 Ltd']

async function payAll(bank: FileRailWorld): Promise<void> {
  for (let left = PAYOUTS; left > 0; ) {
    const count = Math.min(left, 40)
    const name = NAMES[Math.floor(random() ** 2 * NAMES.length)]
    const amounts = Array.from({ length: count }, () => 1 + Math.floor(random() * 5_000))
    const beneficiary_details = { ...bankBeneficiary, name, address: { ...ADDRESS } }
    await bank.pay(amounts, { beneficiary_details })
    left -= count
  }
}

const ADDRESS = { line1: '1 Main St', city: 'Springfield', postal_code: '62701', country: 'US' }

type Day = Awaited<ReturnType<typeof openDay>>

/** The bank takes the files of the rail, and sends what it has to say. */
async function exchange({ rail, folder, bank }: Day, changed = (text: string) => text) {
  await until('all payments are in files', async () => {
    await rail.work()
    return (await rail.items()).every(({ msg_id }) => msg_id !== '')
  })
  for (const { name, text } of await rail.outbox())
    writeFileSync(join(folder, 'to-bank', name), text)
  await bank.finish()
  for (const name of readdirSync(join(folder, 'from-bank')).sort()) {
    const text = readFileSync(join(folder, 'from-bank', name), 'utf8')
    await rail.report(text.includes('camt.053') ? changed(text) : text, name)
  }
  bank.close()
  await until('all payouts are over', async () => {
    await rail.work()
    const [open] = await service.database.owner`
      select from open_payouts where rail = ${rail.name} and status <> 'succeeded' limit 1`
    return open === undefined
  })
}

async function agree(name: string): Promise<Position> {
  while ((await takeNewStatements(service.deps)) > 0);
  while ((await deriveSome(service.deps)).journals > 0n);
  for (const nostro of await listNostros(service.deps.sql)) {
    await matchNostro(service.deps.sql, nostro)
  }
  const positions = await listPositions(service.database.owner)
  return positions.find(({ nostro }) => nostro === name) ?? assert.fail('no nostro')
}

/** A rail with its nostro, and the test bank that pays for it. */
async function openDay(name: string, iban: string) {
  const profile = { name: 'a', like: 'generic', address: 'any' }
  const rail = await world({ format: iso20022, profile, iban })
  await insertNostro(service.database.owner, {
    ...{ name, kind: 'bank', currency: 'USD', institution: '', account: iban, bic: '' },
    ...{ purpose: 'own', pool: 'none', rails: [rail.name], closed_at: null, settings: {} },
    ...{ opening_balance: OPENING, opening_on: new Date().toISOString().slice(0, 10) },
  })
  const folder = mkdtempSync(join(tmpdir(), 'corridor-day-'))
  after(() => rmSync(folder, { recursive: true }))
  return { rail, folder, bank: new TestBank({ folder, faults: new Set() }) }
}

test(`${PAYOUTS} payouts by a file, some refused or returned: bank and books agree to the cent`, async () => {
  const day = await openDay('usd_main', ACCOUNT)
  await payAll(day.rail)
  await exchange(day)
  const position = await agree('usd_main')
  assert.equal(position.bank, position.book)
  assert.notEqual(position.bank, OPENING)
  const { open_lines_count, open_items_count, proved } = position
  assert.deepEqual([open_lines_count, open_items_count, proved], [0n, 0n, true])
  const [ended] = await service.database.owner<{ count: number }[]>`
    select count(*)::integer as count from payout_outcomes`
  assert.equal(ended?.count, PAYOUTS)
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
})

/** How the bank's statement differs from what it has done, and what is then open. */
const BREAK_KINDS = [
  { change: () => '', lines: 0, items: 1 },
  { change: (entry: string) => entry.replace(/(\d)<\/Amt>/, grown), lines: 1, items: 1 },
  { change: (entry: string) => entry + unknown(entry), lines: 1, items: 0 },
] as const

/** Another last digit. */
const grown = (_: string, digit: string) => `${(Number(digit) + 1) % 10}</Amt>`

/** An entry of the same amount that the books know nothing of. */
function unknown(entry: string): string {
  return entry.replace(/<(EndToEndId|InstrId|AcctSvcrRef|NtryRef|UETR)>[^<]*/g, '<$1>UNKNOWN')
}

test(`statement with ${BREAKS} entries left out, of another amount, or unknown: exactly these are open`, async () => {
  const day = await openDay('usd_broken', 'DE02120300000000202051')
  await payAll(day.rail)
  const open = { lines: 0n, items: 0n }
  await exchange(day, text => {
    const entries = text.match(/<Ntry>.*?<\/Ntry>/gs) ?? []
    const places = new Set<number>()
    while (places.size < BREAKS) places.add(Math.floor(random() * entries.length))
    let broken = text
    for (const [nth, place] of [...places].entries()) {
      const kind = BREAK_KINDS[nth % BREAK_KINDS.length] ?? assert.fail()
      const entry = entries[place] ?? ''
      broken = broken.replace(entry, kind.change(entry))
      open.lines += BigInt(kind.lines)
      open.items += BigInt(kind.items)
    }
    return broken
  })
  const position = await agree('usd_broken')
  const { open_lines_count: lines, open_items_count: items } = position
  assert.deepEqual({ lines, items }, open)
  assert.equal(position.bank - position.book, position.open_lines - position.open_items)
  assert.equal(position.proved, false)
})
