// What finance types, and clicks: what is open, what may explain it, a match, an undo, notes and rules;
// by commands, and by the pages of the console.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sql } from '../../src/sql/connect.ts'
import { balancesOf } from '../support/assert/check.ts'
import { type Cli, openCli, succeed } from '../support/service/cli.ts'
import { addPerson, startTestService, type TestService } from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'
import { giveItems, giveLines, identityOf, openNostro } from '../support/treasury/open-rows.ts'

let service: TestService
let owner: Sql
let cli: Cli
before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
})
after(async () => {
  await cli.close()
  await service.close()
})

const run = (...words: string[]) => succeed(cli, ...words)

async function refused(...words: string[]): Promise<string> {
  const { code, stderr } = await cli.run(...words)
  assert.ok(code === 1 || code === 2, stderr)
  return stderr
}

test('a morning by commands: batch matched, fee booked by a rule, short return accepted, two rows left', async () => {
  const nostro = await openNostro(owner, 'eur_main')
  const payouts = [-7_000_000n, -5_000_000n]
  await giveItems(
    owner,
    nostro,
    payouts.map((amount, i) => ({ amount, block: 'BLOCK-1', key: `C00000000000-${i}` })),
  )
  const [, back = 0n] = await giveItems(owner, nostro, [
    { amount: -70_000n, key: 'C0000000000000X' },
    { amount: 10_000n, key: 'RETURN-0001' },
  ])
  const [, , , short = 0n] = await giveLines(owner, nostro, [
    { amount: -12_000_000n, block: 'BLOCK-1' },
    { amount: -1_250n, text: 'Account fee November' },
    { amount: 500_000n, text: 'whose?' },
    { amount: 9_500n, end_to_end_id: 'RETURN-0001' },
  ])
  assert.match(
    await run('nostro', 'add-rule', 'eur_main', '--text', '*ACCOUNT FEE*', '--as', 'cost'),
    /rule 1: text \*ACCOUNT FEE\*: cost/,
  )
  assert.match(
    await run('nostro', 'match-all', 'eur_main'),
    /0 by key, 1 by block, 0 by text, 0 by account, 1 by/,
  )
  const line = `line_${short}`
  const suggested = await run('nostro', 'suggest', line)
  const accept = `corridor nostro match --lines ${line} --items item_${back} --rest-as cost`
  assert.ok(suggested.includes(accept), suggested)
  const words = accept.split(' ').slice(1)
  assert.match(await refused(...words.slice(0, -2)), /say what EUR -5\.00 is/)
  const made = JSON.parse(await run(...words, '--json'))
  assert.deepEqual([made.amount, made.rest], ['9500', '-500'])
  assert.deepEqual(await identityOf(owner, nostro), { difference: 570_000n, open: 570_000n })
  assert.match(await run('nostro', 'lines', 'eur_main'), /whose\?/)
  assert.match(await run('nostro', 'items', 'eur_main'), /C0000000000000X/)
  assert.match(await refused(...words), new RegExp(`${line} is in ${made.match}: undo it first`))
  await run('nostro', 'undo', made.match, '--note', 'The fee was of another payout')
  assert.match(await refused('nostro', 'undo', made.match, '--note', 'again'), /is undone already/)
  assert.match(await run('nostro', 'matches', 'eur_main'), /by ada/)
  const exceptions = JSON.parse(await run('nostro', 'exceptions', '--json'))
  const kinds = exceptions.exceptions.map((one: { kind: string }) => one.kind).sort()
  assert.deepEqual(kinds, ['unknown_credit', 'unknown_credit'])
  await run('nostro', 'note', line, '--note', 'Asked the bank', '--owner', 'ben')
  assert.match(await run('nostro', 'notes', line), /ada\s+ben\s+Asked the bank/)
  await run('nostro', 'remove-rule', 'eur_main', '1')
  assert.match(await run('nostro', 'rules', 'eur_main'), /no rule/)
})

test('wrong words: refused in one sentence that names the option', async () => {
  const cases = [
    [['nostro', 'lines', 'eur_mian'], /there is no nostro eur_mian; did you mean eur_main/],
    [['nostro', 'suggest', 'line_999999'], /there is no line line_999999/],
    [['nostro', 'suggest', 'item_1'], /[Tt]here is no line item_1/],
    [['nostro', 'add-rule', 'eur_main', '--text', '*', '--as', 'cost'], /--text: A pattern has 3/],
    [['nostro', 'add-rule', 'eur_main', '--as', 'cost'], /A rule needs a code or a text/],
    [['nostro', 'add-rule', 'eur_main', '--text', 'SWEEP', '--as', 'transfer'], /--to: A transfer/],
    [['nostro', 'remove-rule', 'eur_main', '7'], /has no rule 7/],
  ] as const
  for (const [words, says] of cases) assert.match(await refused(...words), says)
  for (const words of ['nostro import /nowhere.xml', 'nostro mapping eur_main /nowhere.xml']) {
    assert.match(await refused(...words.split(' ')), /cannot read \/nowhere\.xml: ENOENT/)
  }
})

test('console, one nostro: a rest has no preset and no focus; accepting it, a note and an undo work', async () => {
  const nostro = await openNostro(owner, 'eur_page')
  const [line = 0n] = await giveLines(owner, nostro, [
    { amount: 9_500n, bank_reference: 'RETURN-0002', text: '<script>alert(1)</script>' },
  ])
  const [item = 0n] = await giveItems(owner, nostro, [{ amount: 10_000n, key: 'RETURN-0002' }])
  await addPerson(service, { user: 'ada', role: 'operator' })
  await addPerson(service, { user: 'grace', role: 'auditor' })
  const headers = await logIn(service, 'ada')
  const look = async (path: string, as = headers) => {
    const { status, text } = await service.inject({
      url: `/console/installation/treasury${path}`,
      headers: as,
    })
    assert.equal(status, 200, text)
    return text
  }
  assert.match(await look(''), /href="\/console\/installation\/treasury\/eur_page"/)
  const page = await look('/eur_page')
  assert.match(page, /<option value=""[^>]*>Choose</)
  assert.match(page, /<button class="main">Accept<\/button>/)
  assert.match(page, /the key is the same/)
  assert.match(page, /alert\(1\)[\s\S]*<code>RETURN-0002<\/code>[\s\S]*The books/)
  assert.equal(page.includes('<script>alert'), false)
  const asAuditor = await look('/eur_page', await logIn(service, 'grace'))
  assert.equal(asAuditor.includes('Accept'), false)
  const send = (path: string, form: Record<string, string>) =>
    sendForm(service, headers, `/console/installation/treasury/eur_page${path}`, form)
  assert.equal((await send(`/note/line_${line}`, { note: 'Look', owner: 'ben' })).status, 303)
  assert.match(await look('/eur_page'), /<li>Look<br>\s*<small>ada, [\s\S]*ben looks after it/)
  const form = { lines: `line_${line}`, items: `item_${item}` }
  const unsaid = await send('/match', { ...form, rest_as: '' })
  assert.match(unsaid.text, /say what EUR -5\.00 is/)
  const sent = await send('/match', { ...form, rest_as: 'cost' })
  assert.equal(
    sent.headers.location,
    '/console/installation/treasury/eur_page?done=saved',
    sent.text,
  )
  assert.deepEqual(await identityOf(owner, nostro), { difference: 0n, open: 0n })
  const [match = ''] = /match_\d+/.exec(await look('/eur_page')) ?? []
  assert.equal((await send(`/undo/${match}`, { note: 'No' })).status, 303)
  const undone = await look('/eur_page')
  assert.match(undone, /undone by ada: No/)
  await giveItems(owner, nostro, [{ amount: 9_500n, key: 'RETURN-0002' }])
  assert.match(await look('/eur_page'), /<button class="main" autofocus>Accept<\/button>/)
  assert.match(undone, new RegExp(`95\\.00&nbsp;EUR</span></td><td><code>line_${line}</code>`))
})

test('corridor nostro undo, journal of the house reversed before: its items are paired, and nothing is booked', async () => {
  const nostro = await openNostro(owner, 'eur_reversed')
  const [line = 0n] = await giveLines(owner, nostro, [{ amount: -700n, text: 'fee' }])
  await run('nostro', 'book', `line_${line}`, '--as', 'cost', '--note', 'Fee')
  const [journal] = JSON.parse(await run('house', 'list', '--json'))
  await run('house', 'reverse', journal.id, '--reason', 'Not ours')
  const { results } = JSON.parse(await run('nostro', 'matches', nostro.name, '--json'))
  await run('nostro', 'undo', results[0].id, '--note', 'Not ours')
  assert.deepEqual(await identityOf(owner, nostro), { difference: -700n, open: -700n })
  const [newest] = JSON.parse(await run('house', 'list', '--json'))
  assert.equal(newest.undoes, journal.id)
})

test('console, money in suspense: a refused credit stays on its line; a credit funds the account', async () => {
  const nostro = await openNostro(owner, 'eur_suspense')
  const [, line = 0n] = await giveLines(owner, nostro, [
    { amount: -700n, text: 'ACCOUNT FEE' },
    { amount: 7_700n, text: 'RECHNUNG 4711' },
  ])
  const client = await service.openAccount({ sandbox: false, currencies: ['EUR'] })
  await addPerson(service, { user: 'edith', role: 'operator' })
  const headers = await logIn(service, 'edith')
  const path = `/console/installation/treasury/eur_suspense`
  const page = await service.inject({ url: `${path}?line=line_${line}`, headers })
  assert.match(page.text, new RegExp(`action="${path}/credit/line_${line}"`))
  const fee = await service.inject({ url: path, headers })
  assert.equal(fee.text.includes('/credit/'), false)
  const send = (account_id: string) =>
    sendForm(service, headers, `${path}/credit/line_${line}`, { account_id, reason: 'Invoice' })
  const refused = await send('acc_00000000')
  assert.match(refused.text, /no account acc_00000000/)
  assert.match(refused.text, new RegExp(`action="${path}/credit/line_${line}"`))
  const sent = await send(client.account.account_id)
  assert.equal(sent.status, 303, sent.text)
  assert.equal(Number((await balancesOf(client)).EUR), 7_700)
})
