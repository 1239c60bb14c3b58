// The treasury in the console: client money that is explained and signed, statements that a person
// takes in, and exceptions that open with their very line, item or statement.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { deriveSome } from '../../src/treasury/derive.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { bookUsd } from '../support/service/operate.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'
import { giveItems, giveLines, openNostro, TODAY } from '../support/treasury/open-rows.ts'

const ROOT = '/console/installation'

let service: TestService
let owner: Sql
let cli: Cli
let account: Client
let ada: Awaited<ReturnType<typeof logIn>>
before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  await addPerson(service, { user: 'ada', role: 'operator' })
  await addPerson(service, { user: 'grace', role: 'auditor' })
  ada = await logIn(service, 'ada')
  await run('nostro', 'add', 'usd_clients', 'USD', '0', '--pool', 'payments')
  await run('nostro', 'add', 'usd_own', 'USD', '1000.00', '--purpose', 'own')
  account = await service.openAccount({ currencies: ['USD'], sandbox: false })
})
after(async () => {
  await cli.close()
  await service.close()
})

const run = (...words: string[]) => succeed(cli, ...words)

async function look(path: string, headers = ada): Promise<string> {
  const { status, text } = await service.inject({ url: `${ROOT}${path}`, headers })
  assert.equal(status, 200, text)
  return text
}

const send = (path: string, form: Record<string, string>) =>
  sendForm(service, ada, `${ROOT}${path}`, form)

async function derive(): Promise<void> {
  while ((await deriveSome(service.deps)).journals > 0n);
}

/** The amount of a row of a sum, such as `5.00`. */
const amountIn = (page: string, name: string) =>
  new RegExp(`${name}</th>\\s*<td class="number"><span class="money">([^&]*)&nbsp;USD`).exec(
    page,
  )?.[1]

test('client money page, a shortfall: each sum with its parts; signed only with what was done, and corrected as number 2', async () => {
  await bookUsd(service, account, 'funding', 100_000n, 'FUNDING-0001')
  await bookUsd(service, account, 'adjustment', 500n, 'A-1')
  await derive()
  const [line] = await giveLines(owner, { name: 'usd_clients', currency: 'USD' }, [
    { amount: 100_000n, bank_reference: 'FUNDING-0001' },
    { amount: 2_500n, text: 'whose?' },
  ])
  assert.ok(line)
  await run('nostro', 'match-all', 'usd_clients')
  const page = await look('/client-money')
  assert.equal(amountIn(page, 'Balances of clients, and in transit'), '1,005.00')
  assert.equal(amountIn(page, 'Money that came in and is not credited'), '25.00')
  assert.equal(amountIn(page, 'Owed'), '1,030.00')
  assert.equal(amountIn(page, 'Books of the accounts at banks'), '1,000.00')
  assert.equal(amountIn(page, 'Held'), '1,025.00')
  assert.equal(amountIn(page, 'Held less owed'), '-5.00')
  assert.match(page, /5\.00&nbsp;USD<\/span> less is held than is owed/)
  assert.match(page, /Nobody has signed today/)
  const unsaid = await send('/client-money/payments/USD', { 'entered-payments-USD': '1.00' })
  assert.match(unsaid.text, /a shortfall is signed with what was done about it/)
  assert.match(unsaid.text, /<details open><summary>Sign today<[\s\S]*value="1\.00"/)
  const wrong = await send('/client-money/payments/USD', { 'entered-payments-USD': 'much' })
  assert.match(wrong.text, /“much” is not an amount in USD/)
  const said = { 'action-payments-USD': 'Paid in 5.00 at 10:15' }
  const signed = await send('/client-money/payments/USD', said)
  assert.equal(signed.headers.location, `${ROOT}/client-money?done=signed`, signed.text)
  assert.match(await look('/client-money'), /Signed by ada [\s\S]*as number\s+1 of the day/)
  assert.equal((await send('/client-money/payments/USD', said)).status, 303)
  assert.match(await look('/client-money'), /Sign today again, as number 3/)
  const auditor = await look('/client-money', await logIn(service, 'grace'))
  assert.equal(auditor.includes('Sign today'), false)
})

test('client money, CSV of a month: each signed day with owed, held, who and what was done', async () => {
  const month = TODAY.slice(0, 7)
  const url = `${ROOT}/client-money.csv?month=${month}`
  const { status, text, headers } = await service.inject({ url, headers: ada })
  assert.equal(status, 200)
  assert.match(String(headers['content-disposition']), new RegExp(`client-money-${month}\\.csv`))
  const [head, first, second] = text.trimEnd().split('\r\n')
  assert.match(String(head), /^Day,Number,Pool,Currency,State,Owed,Held,/)
  assert.match(
    String(first),
    new RegExp(`^${TODAY},1,payments,USD,shortfall,1030\\.00,1025\\.00,0\\.00,-5\\.00,`),
  )
  assert.match(String(second), new RegExp(`^${TODAY},2,.*,ada,.*,Paid in 5\\.00 at 10:15,`))
  const none = await service.inject({ url: url.replace(month, '2020-01'), headers: ada })
  assert.equal(none.text.split('\r\n').length, 2)
  assert.match(await look(`/client-money?month=2020-01`), /No day of the month is signed/)
})

test('credit of a line in suspense: a person chooses the account by its name, and what it is owed stays the same', async () => {
  const { account_id } = account.account
  const [row] = await owner<{ id: bigint }[]>`select id from bank_lines where text = 'whose?'`
  const page = await look(`/treasury/usd_clients?line=line_${row?.id}`)
  assert.match(page, new RegExp(`<option value="${account_id}">`))
  await run('nostro', 'set', 'usd_clients', '--two-people-from', '20.00', '--currency', 'USD')
  const form = { account_id, reason: 'Invoice 118, by mail' }
  const alone = await send(`/treasury/usd_clients/credit/line_${row?.id}`, form)
  assert.match(alone.text, /needs two people: somebody else first proposes/)
  const proposal = { to: account_id, note: 'Invoice 118' }
  await addPerson(service, { user: 'ben', role: 'operator' })
  const proposed = await sendForm(
    service,
    await logIn(service, 'ben'),
    `${ROOT}/treasury/usd_clients/propose/line_${row?.id}`,
    proposal,
  )
  assert.equal(proposed.status, 303, proposed.text)
  const credited = await send(`/treasury/usd_clients/credit/line_${row?.id}`, {
    account_id,
    reason: 'Invoice 118, by mail',
  })
  assert.equal(credited.status, 303, credited.text)
  await derive()
  await run('nostro', 'match-all', 'usd_clients')
  const after = await look('/client-money')
  assert.equal(amountIn(after, 'Owed'), '1,030.00')
  assert.equal(amountIn(after, 'Money that came in and is not credited'), undefined)
})

/** A statement in MT940 with one line. */
const statement = (number: number, opens: string, closes: string) =>
  `:20:S${number}\r\n:25:DE89370400440532013000\r\n:28C:${number}/1\r\n:60F:C261101EUR${opens}\r\n` +
  `:61:2611${String(number).padStart(2, '0')}C10,00NTRFREF-${number}\r\n:86:Müller\r\n` +
  `:62F:C2611${String(number).padStart(2, '0')}EUR${closes}\r\n`

test('statements page: a check takes nothing; a file is taken with its counts, once; a gap says what to do, and has notes', async () => {
  const account_at_bank = ['--account', 'DE89370400440532013000', '--opening-on', '2026-11-01']
  await run('nostro', 'add', 'eur_page', 'EUR', '0', ...account_at_bank)
  const path = '/treasury/eur_page/statements'
  const rows = async () => (await owner`select from bank_lines where nostro = 'eur_page'`).length
  const content = statement(3, '0,00', '10,00')
  const checked = await send(path, { content, check: 'yes' })
  assert.match(checked.text, /A check: nothing is taken in[\s\S]*10\.00&nbsp;EUR/)
  assert.match(checked.text, /<details open>|<textarea[^>]*>[^<]*:20:S3/)
  assert.equal(await rows(), 0)
  const taken = await send(path, { content, file_name: 'november.sta' })
  assert.match(taken.text, /The file is taken in[\s\S]*state good">proved/)
  assert.equal(await rows(), 1)
  assert.match((await send(path, { content })).text, /The same file was taken before/)
  const late = await send(path, { content: statement(5, '20,00', '30,00') })
  assert.match(late.text, /state bad">gap<[\s\S]*Take in the statement that is missing/)
  const page = await look(path)
  assert.match(page, /Why: it opens with EUR 20\.00 behind EUR 10\.00/)
  const id = /id="(statement_\d+)"/.exec(page)?.[1] ?? ''
  const noted = await send(`${path}/note/${id}`, { note: 'Asked the bank', owner: 'ben' })
  assert.equal(noted.headers.location, `${ROOT}${path}?done=saved`, noted.text)
  assert.match(await look(path), /Asked the bank<br>\s*<small>ada, [\s\S]*ben looks after it/)
  const broken = await send(path, { content: ':20:S6\r\n:25:DE0\r\nnonsense' })
  assert.match(broken.text, /<details open><summary>Take in a statement/)
  assert.match(broken.text, /class="problem"[^>]*>[^<]*nothing of the file is taken/)
  const auditor = await look(path, await logIn(service, 'grace'))
  assert.equal(auditor.includes('Take in a statement'), false)
})

test('POST /v3/operator/nostro/{name}/statement, XML that declares another encoding: its names are read as text', async () => {
  const xml = `<?xml version="1.0" encoding="ISO-8859-1"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><GrpHdr><MsgId>M</MsgId><CreDtTm>2026-11-06T00:00:00Z</CreDtTm></GrpHdr><Stmt><Id>X6</Id><CreDtTm>2026-11-06T00:00:00Z</CreDtTm><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct><Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">30.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-06</Dt></Dt></Bal><Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">31.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-06</Dt></Dt></Bal><Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-06</Dt></BookgDt><ValDt><Dt>2026-11-06</Dt></ValDt><BkTxCd/><NtryDtls><TxDtls><RltdPties><Dbtr><Nm>Jürgen Groß</Nm></Dbtr></RltdPties></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`
  const taken = await send('/treasury/eur_page/statements', { content: xml })
  assert.match(taken.text, /The file is taken in/)
  const [row] = await owner<{ name: string }[]>`
    select counterparty_name as name from bank_lines where counterparty_name <> ''`
  assert.equal(row?.name, 'Jürgen Groß')
})

test('a statement of 1 MB by the console: taken; one of over 4 MiB: refused with the limit', async () => {
  const filler = 'x'.repeat(1_000_000)
  const long = await send('/treasury/eur_page/statements', { content: `:20:S\r\n${filler}` })
  assert.match(long.text, /nothing of the file is taken/)
  const content = 'x'.repeat(4_300_000)
  const longest = await send('/treasury/eur_page/statements', { content })
  assert.equal(longest.status, 413)
  assert.match(longest.text, /What the form sends is over 4 MiB/)
})

test('exceptions: each leads to its very line, item or statement, and Needs attention counts them', async () => {
  const nostro = await openNostro(owner, 'eur_desk')
  const day = '2026-01-05'
  const lines = await giveLines(
    owner,
    nostro,
    Array.from({ length: 60 }, (_, i) => ({ amount: 1_000n + BigInt(i), text: `line ${i}` })),
  )
  const [item = 0n, other = 0n] = await giveItems(owner, nostro, [
    { amount: -700n, day, key: 'C0000000000001' },
    { amount: 1_050n, key: 'C0000000000002' },
  ])
  const last = `line_${lines.at(-1)}`
  const treasury = await look('/treasury?nostro=eur_desk')
  assert.match(treasury, new RegExp(`href="${ROOT}/treasury/eur_desk\\?line=${last}">${last}`))
  assert.match(treasury, new RegExp(`href="${ROOT}/treasury/eur_desk\\?items=item_${item}"`))
  const gap = await look('/treasury?kind=gap')
  assert.match(gap, new RegExp(`href="${ROOT}/treasury/eur_page/statements#statement_\\d+"`))
  const opened = await look(`/treasury/eur_desk?line=${last}`)
  assert.match(
    opened,
    new RegExp(`What may explain it[\\s\\S]*line 59[\\s\\S]*<code>${last}</code>`),
  )
  // A browser gives no button the focus on a page whose address has a fragment: Enter would accept nothing.
  assert.doesNotMatch(opened, /eur_desk\?line=[^"]*#/)
  const ofItem = await look(`/treasury/eur_desk?items=item_${item}`)
  assert.match(ofItem, /You have chosen:[\s\S]*C0000000000001[\s\S]*Write a note/)
  const needs = await look('')
  assert.match(needs, /treasury\?kind=unknown_credit#list">\d+<\/a> credits of banks/)
  assert.match(needs, new RegExp(`/eur_desk\\?items=item_${item}">1</a> payment is not confirmed`))
  assert.match(needs, /client-money#payments-USD">1<\/a> shortfall of client money/)
  const both = await look(`/treasury/eur_desk?line=${last}&items=item_${item}+item_${other}`)
  assert.match(both, /<h3>Your choice<\/h3>/)
  assert.match(both, /The rest of <span class="money">7\.09&nbsp;EUR/)
  const form = { lines: last, items: `item_${item} item_${other}`, rest_as: 'interest' }
  assert.equal((await send('/treasury/eur_desk/match', form)).status, 303)
  assert.match(await look(`/treasury/eur_desk?line=${last}`), /It is matched, by <code>match_\d+/)
  const second = /href="([^"]*after_line=line_\d+)">More/.exec(opened)?.[1] ?? ''
  assert.match(await look(second.replace(ROOT, '')), /line 58[\s\S]*The oldest/)
})

test('item without a known account at a bank: has a note form, and its note is the last note', async () => {
  const [item = 0n] = await giveItems(owner, { name: '', currency: 'EUR' }, [{ amount: -5n }])
  assert.match(
    await look('/treasury?kind=unassigned'),
    new RegExp(`item_${item}[\\s\\S]*Write a note`),
  )
  assert.equal((await send(`/treasury-notes/item_${item}`, { note: 'By hand' })).status, 303)
  assert.match(await look('/treasury?kind=unassigned'), /By hand/)
})

test('line that belongs to another account at a bank: booked as a transfer with it', async () => {
  const [from, to] = [await openNostro(owner, 'eur_one'), await openNostro(owner, 'eur_two')]
  const [line] = await giveLines(owner, from, [{ amount: -77n, text: 'To the other account' }])
  assert.match(await look('/treasury/eur_one'), /<option value="eur_two">/)
  const form = { as: 'transfer', to: to.name, note: 'Funding' }
  const booked = await send(`/treasury/eur_one/book/line_${line}`, form)
  assert.equal(booked.status, 303, booked.text)
  assert.match(await look('/treasury/eur_two'), /0\.77&nbsp;EUR/)
})

test('page of a nostro: a credit goes back to its payer, and the page says once what to pay', async () => {
  const payer = { counterparty_name: 'Zoe Park', counterparty: 'DE02120300000000202051' }
  const nostro = { name: 'usd_clients', currency: 'USD' }
  const [id] = await giveLines(owner, nostro, [{ amount: 1_700n, text: 'by mistake', ...payer }])
  const page = await look(`/treasury/usd_clients?line=line_${id}`)
  assert.match(page, /Send it back to its payer/)
  const { status, text } = await send(`/treasury/usd_clients/return/line_${id}`, { reason: 'No' })
  assert.equal(status, 200, text)
  assert.match(text, /Now pay <span class="money">17\.00&nbsp;USD<\/span> from\s+usd_clients/)
  assert.match(
    text,
    /to Zoe Park <code>DE02120300000000202051<\/code>[\s\S]*<code>RTN\d{9}<\/code>/,
  )
  const again = await send(`/treasury/usd_clients/return/line_${id}`, { reason: 'No' })
  assert.match(again.text, /undo it first/)
})

test('page of how lines are read: rules and columns of a CSV file are set, changed and removed there', async () => {
  const path = '/treasury/usd_own/reading'
  assert.match(await look('/treasury/usd_own'), /How its lines are read and booked/)
  const rule = { text: '*ACCOUNT FEE*', as: 'cost' }
  assert.equal((await send(`${path}/add-rule`, rule)).status, 303)
  assert.match((await send(`${path}/add-rule`, { text: '*', as: 'cost' })).text, /besides stars/)
  assert.match(await look(path), /\*ACCOUNT FEE\*<\/code>/)
  assert.doesNotMatch(await look(path, await logIn(service, 'grace')), /Remove the rule/)
  assert.equal((await send(`${path}/remove-rule`, { number: '1' })).status, 303)
  assert.match(await look(path), /No rule yet/)
  const mapping = { booked_on: 'Date', amount: 'Sum', text: 'Note, Payer', skip_lines: '2' }
  assert.equal((await send(`${path}/mapping`, mapping)).status, 303)
  const stored = JSON.parse(await run('nostro', 'show', 'usd_own', '--json')).mapping
  assert.deepEqual(stored.text, ['Note', 'Payer'])
  assert.deepEqual([stored.booked_on, stored.amount, stored.skip_lines], ['Date', 'Sum', 2])
  assert.match(await look(path), /<dd>Note, Payer<\/dd>/)
  const bad = await send(`${path}/mapping`, { booked_on: 'Date' })
  assert.match(bad.text, /either amount, or both credit and debit/)
  assert.equal((await send(`${path}/no-mapping`, {})).status, 303)
  assert.match(await look(path), /Its statements are no CSV files/)
})
