// What a first start and the next one print in a terminal, on a database of the operator's own; the
// lines of `corridor sandbox create`, and those of the README, pasted into bash twice. The embedded
// database has a first start in cli/start.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { BARE, IN_TERMINAL, openCli } from '../support/service/cli.ts'

/** A start in a terminal, and what it has printed once these words are there. */
async function start(DATABASE_URL: string, words: RegExp) {
  const env = { ...BARE, ...IN_TERMINAL, DATABASE_URL, PORT: '0', CORRIDOR_DRAIN_MS: '0' }
  const service = spawn(process.execPath, ['src/main.ts', 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  let printed = ''
  const whole = Promise.withResolvers<void>()
  service.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (words.test(printed)) whole.resolve()
  })
  service.once('exit', code => whole.reject(new Error(`ended: ${code}\n${printed}`)))
  await whole.promise
  return { service, printed }
}

function assertWords(printed: string): void {
  assert.match(printed, /corridor user create ada --full-name "Ada Lovelace" --role operator\n/)
  assert.match(printed, /^\nCorridor is ready at http:\/\/127\.0\.0\.1:\d+\.\n/)
  assert.match(printed, GUIDES)
  assert.doesNotMatch(printed, /listening|"address"|INFO|"migrated"/)
}

const GUIDES = /\nGuides, clients and the reference are at http:\/\/127\.0\.0\.1:\d+\/docs\.\n/

async function stop(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null) return
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  await ended
}

/** What a person pastes: the lines that are set in. */
function linesOf(printed: string): string {
  const lines = printed
    .split('\n')
    .filter(line => /^ {2}(export api_key|quote=|id=|curl)/.test(line))
  assert.equal(lines.length, 5)
  return lines.join('\n')
}

/** What they print, as JSON, one answer a line. */
async function paste(lines: string) {
  const bash = spawn('bash', ['-s'], { stdio: ['pipe', 'pipe', 'inherit'] })
  bash.stdin.end(lines)
  const printed = await text(bash.stdout)
  return printed
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
}

async function tryTwice(printed: string): Promise<void> {
  const lines = linesOf(printed)
  const [quote, paid, left] = await paste(lines)
  assert.equal(quote.object, 'payout_quote')
  assert.equal(paid.data?.quote, quote.id, JSON.stringify(paid))
  const { holding_info, fee_info } = quote
  const { fixed, variable } = fee_info
  const debit = holding_info.amount + fixed.in_holding_currency + variable.in_holding_currency
  const usd = left.data.available.find(({ currency }: { currency: string }) => currency === 'USD')
  assert.equal(Number(usd.amount), 100_000_000 - debit)

  const [again, refused, same] = await paste(lines)
  assert.notEqual(again.id, quote.id)
  assert.equal(refused.errors[0].reason, 'possible_duplicate_payout')
  assert.match(refused.message, new RegExp(`${paid.data.id}.*send allow_duplicate`))
  assert.deepEqual(same.data.available, left.data.available)

  // The payout's line alone, with a quote that has paid.
  const used = lines.replace(/quote=\$\(.*$/m, `quote=${quote.id}`)
  const [spent] = await paste(used)
  assert.equal(spent.errors[0].reason, 'quote_used')
}

/** What is said of doing it twice: done, paid just now. */
const REPEATED = [undefined, 'possible_duplicate_payout']

/** The prices and accounts that there are. */
async function countRows({ owner }: TestDatabase) {
  const [row] = await owner`
    select (select count(*) from rates where not pegged)::int as rates,
      (select count(*) from fees)::int as fees, (select count(*) from accounts)::int as accounts`
  return { ...row }
}

test('corridor start on an own database: no account, price or secret; corridor sandbox create: all three, and printed commands make quote, payout and balance; restarted: key hint', async () => {
  const database = await createDatabase({ empty: true })
  let started = await start(database.url, /corridor user login-link ada\n\n/)
  try {
    const { printed: first, service } = started
    assertWords(first)
    assert.match(first, /\nFor a sandbox account [^\n]*\n\n {2}corridor sandbox create\n/)
    assert.doesNotMatch(first, /corridor_(test|live)_|[{}]/)
    assert.deepEqual(await countRows(database), { rates: 0, fees: 0, accounts: 0 })
    const [, address = ''] = /ready at (\S+)\./.exec(first) ?? []
    const cli = await openCli(database.url, { CORRIDOR_PUBLIC_URL: address })
    const { code, stdout: printed, stderr } = await cli.run('sandbox', 'create')
    assert.equal(code, 0, stderr)
    const { rates, ...rest } = await countRows(database)
    assert.ok(Number(rates) > 20, String(rates))
    assert.deepEqual(rest, { fees: 7, accounts: 1 })
    const another = await cli.run('sandbox', 'create', '--json')
    assert.match(another.json.secret, /^corridor_test_/)
    assert.deepEqual(await countRows(database), { rates, fees: 7, accounts: 2 })
    await cli.close()
    await tryTwice(printed)
    const [, key = ''] = /api_key='(\S+)'/.exec(printed) ?? []
    const readme = await readFile('README.md', 'utf8')
    const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)]
      .map(([, block = '']) => block)
      .filter(block => /\bcurl\b/.test(block) && /api_key/.test(block))
    const lines = blocks
      .join('')
      .replace('key_…:…', key)
      .replaceAll('http://127.0.0.1:8080', address)
      .split('\n')
      // What only a reader can fill in, and commands that are no requests.
      .filter(
        line => !line.includes('…') && !line.startsWith('corridor ') && !line.includes('text/csv'),
      )
      .join('\n')
    for (const round of ['first', 'second']) {
      const answers = await paste(lines)
      assert.ok(answers.length >= 4, `${answers.length} answers`)
      for (const answer of answers) {
        const reason = answer.errors?.[0]?.reason
        if (round === 'first') assert.equal(reason, undefined, JSON.stringify(answer))
        else assert.ok(REPEATED.includes(reason), JSON.stringify(answer))
      }
    }
    await stop(service)
    started = await start(database.url, GUIDES)
    assertWords(started.printed)
    const keys = /\nSecrets of keys are shown once, when they are made\. For a new key:\n/
    assert.match(started.printed, keys)
    assert.doesNotMatch(started.printed, /[{}]/)
  } finally {
    await stop(started.service)
    await database.drop()
  }
})
