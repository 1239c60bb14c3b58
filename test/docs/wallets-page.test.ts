// docs/wallets.md, "A trial on a test chain", typed line by line: it ends in a wallet that is paid once. A
// node of the test stands in for the test chain.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { startAnvil } from '../../examples/chain/anvil.ts'
import { makeKeyFile } from '../../examples/chain/keystore.ts'
import { tokenAt, transfersOn } from '../../examples/chain/token.ts'
import { readConfig } from '../../src/adapters/evm/config.ts'
import { Rulebook, startProvider } from '../support/chain/proxy.ts'
import { createDatabase } from '../support/database/database.ts'
import { BARE } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { until } from '../support/service/process.ts'
import { startTyping } from '../support/service/typed.ts'

/** The page's test chain, its token and its payee. */
const [CHAIN_ID, USDC, PAYEE] = [
  84_532,
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  '0x8617e340b3d01fa5f11f306f4090fd50e238070d',
] as const
const VARIABLES = { CORRIDOR_TEST_CHAINS: String(CHAIN_ID) }

/** What a reader puts in place of the dots, from what was printed before. */
const READ = `
acc() { grep -om1 'acc_[0-9a-z]*' <<< "$opened"; }
key() { grep -om1 'key_[0-9a-z]*' <<< "$opened"; }
secret() { grep -om1 'corridor_live_[A-Za-z0-9_-]*' <<< "$opened"; }
pot() { grep -om1 'pot_[0-9a-z]*' <<< "$paid"; }
`

/** The lines of a chapter, without the indent of its list, for bash to run. */
function linesOf(page: string, chapter: string): string {
  const [, words = ''] = page.split(`\n## ${chapter}\n`)
  const [body = ''] = words.split('\n## ')
  const blocks = [...body.matchAll(/^ *```sh\n(.*?)^ *```$/gms)]
  return blocks.map(([, block = '']) => block.replaceAll(/^ {3}/gm, '')).join('')
}

/** A node that stands in for the test chain, behind two providers, with a wallet that has money. */
async function standIn(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-page-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const anvil = await startAnvil({ block_time_s: 0, chain_id: CHAIN_ID })
  t.after(() => anvil.close())
  const book = new Rulebook(anvil, 2)
  const providers = [await startProvider(book, 'one'), await startProvider(book, 'two')]
  for (const provider of providers) t.after(() => provider.close())
  const wallet = await makeKeyFile(folder, 'base')
  const token = await tokenAt(anvil, 'UsdcLike', USDC)
  await anvil.give(wallet.address, 10n ** 18n)
  await token.mint(wallet.address, 1_000_000_000n)
  await anvil.mine(3)
  return { anvil, providers, wallet }
}

test('docs/wallets.md, "A trial on a test chain": every command runs, ends with a wallet paid once', async t => {
  Object.assign(process.env, VARIABLES)
  const { anvil, providers, wallet } = await standIn(t)
  const database = await createDatabase({ empty: true })
  t.after(() => database.drop())
  const service = await startListening({ DATABASE_URL: database.url, ...VARIABLES })
  t.after(() => service.close())
  const { corridor, folder, errorOutput } = await startTyping(t, database.url, 'anna', VARIABLES)
  const [one, two] = providers.map(({ url, key }) => url.replace(/\{\w+\}/, key))
  const lines = linesOf(await readFile('docs/wallets.md', 'utf8'), 'A trial on a test chain')
    .replace('"test_chain": { "id": 84532 }', '"test_chain": { "id": 84532, "block_ms": 200 }')
    .replace('"tokens"', '"allow_private": true, "tokens"')
    .replace('https://sepolia.base.org', one ?? '')
    .replace('https://base-sepolia-rpc.publicnode.com', two ?? '')
    .replace('0x52908400098527886E0F7030069857D2E4169EE7', wallet.address)
    .replace('/etc/corridor/keys/base.json', wallet.path)
    .replace('/etc/corridor/keys/base.pass', wallet.passphrase_file)
    .replace(/^corridor account create .*$/m, 'opened=$($&)')
    .replace('curl -sSu', 'paid=$(curl -fsSu')
    .replace("}}}}'; echo", "}}}}'); echo $paid")
    .replaceAll('key_…:…', '$(key):$(secret)')
    .replaceAll('acc_…', '$(acc)')
    .replaceAll('pot_…', '$(pot)')
    .replaceAll('http://127.0.0.1:8080', service.address)
  assert.ok(!lines.includes('…'), lines)
  const bash = spawn('bash', ['-s'], { env: BARE, cwd: folder })
  bash.stdin.end([corridor, 'set -e', READ, lines, 'echo "=== done"'].join('\n'))
  const [printed, said] = await Promise.all([text(bash.stdout), text(bash.stderr)])
  assert.match(printed, /=== done/, `${printed}\n${said}\n${errorOutput()}`)
  assert.doesNotMatch(printed + said, /cannot carry/, 'the rail is told of no payouts of a bank')
  await until('the wallet is paid', async () => {
    await anvil.mine()
    await database.owner`
      update open_payouts set ask_rail_at = statement_timestamp()
      where claimed_until is null and ask_rail_at > statement_timestamp()`
    const rows = await database.owner`select from payout_states where status = 'succeeded'`
    return rows.length === 1
  })
  const moved = (await transfersOn(anvil, [USDC])).map(({ to, units }) => [to, units])
  assert.deepEqual(moved, [[PAYEE, 1_000_000n]])
})

test('docs/wallets.md, settings for a chain with real money: valid', async () => {
  const page = await readFile('docs/wallets.md', 'utf8')
  const [, json = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? []
  const settings = JSON.parse(json.replace('"0x…"', '"0x52908400098527886E0F7030069857D2E4169EE7"'))
  assert.deepEqual(readConfig(settings).messages ?? [], [])
})
