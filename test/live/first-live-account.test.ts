// "The first live account" of the operations manual, typed line by line: it ends in a payout that
// people have paid.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createDatabase } from '../support/database/database.ts'
import { BARE, openCli } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'

/**
 * Runs commands for bash, which asks for each by HTTP: the code, then what is printed. A process for
 * each would cost half a second of the processor.
 */
async function startRunner(database_url: string, t: TestContext): Promise<string> {
  const server = createServer(async (asked, answer) => {
    const [CORRIDOR_USER = '', ...args] = (await text(asked)).trimEnd().split('\n')
    const cli = await openCli(database_url, { CORRIDOR_USER })
    const { code, stdout, stderr } = await cli.run(...args).finally(cli.close)
    answer.end(`${code}\n${stdout}${stderr}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return `npx() {
    shift
    local answer
    answer=$(printf '%s\\n' "$CORRIDOR_USER" "$@" | curl -sS --data-binary @- http://127.0.0.1:${port})
    printf '%s\\n' "\${answer#*$'\\n'}"
    return "\${answer%%$'\\n'*}"
  }`
}

/** What a reader puts in place of the dots, from what was printed before. */
const READ = `
acc() { grep -om1 'acc_[0-9a-z]*' <<< "$opened"; }
key() { grep -om1 'key_[0-9a-z]*' <<< "$opened"; }
secret() { grep -om1 'corridor_live_[A-Za-z0-9_-]*' <<< "$opened"; }
pot() { grep -om1 'pot_[0-9a-z]*' <<< "$waiting"; }
`

/** The lines of a chapter, for bash to run, every one of which must succeed. */
function scriptOf(document: string, chapter: string, address: string): string {
  const [, words = ''] = document.split(`\n## ${chapter}\n`)
  const [body = ''] = words.split('\n## ')
  const blocks = [...body.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block)
  const lines = blocks
    .join('')
    .replace(/^ *(npx corridor account create .*)$/m, 'opened=$($1)')
    .replace(/^ *(npx corridor payout list .*)$/m, 'waiting=$($1)')
    .replaceAll('key_…:…', '$(key):$(secret)')
    .replaceAll('acc_…', '$(acc)')
    .replaceAll('pot_…', '$(pot)')
    .replaceAll('http://127.0.0.1:8080', address)
    .replaceAll('curl -sSu', 'curl -fsSu')
  assert.ok(!lines.includes('…'), lines)
  return ['set -e', READ, lines, 'npx corridor payout show $(pot) --json'].join('\n')
}

test('docs/operations.md, The first live account: line by line to a payout that is paid', async t => {
  const database = await createDatabase({ empty: true })
  const service = await startListening({ DATABASE_URL: database.url })
  try {
    const script = scriptOf(
      await readFile('docs/operations.md', 'utf8'),
      'The first live account',
      service.address,
    )
    const bash = spawn('bash', ['-s'], { env: BARE })
    bash.stdin.end(`${await startRunner(database.url, t)}\n${script}`)
    const [printed, said] = await Promise.all([text(bash.stdout), text(bash.stderr)])
    const shown = printed.slice(printed.lastIndexOf('\n{\n') + 1)
    assert.match(shown, /^\{/, `${printed}\n${said}`)
    const { rail, rail_reference, payout, account_name } = JSON.parse(shown)
    assert.deepEqual(
      [account_name, rail, payout.status, rail_reference],
      ['Acme', 'manual', 'succeeded', '2026112200417'],
    )
  } finally {
    await service.close()
    await database.drop()
  }
})
