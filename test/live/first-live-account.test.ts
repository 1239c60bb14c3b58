// "The first live account" of the operations manual, typed line by line: it ends in a payout that
// people have paid.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createDatabase } from '../support/database/database.ts'
import { BARE } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { startTyping } from '../support/service/typed.ts'

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
    .replace(/^ *(corridor account create .*)$/m, 'opened=$($1)')
    .replace(/^ *(corridor payout list .*)$/m, 'waiting=$($1)')
    .replaceAll('key_…:…', '$(key):$(secret)')
    .replaceAll('acc_…', '$(acc)')
    .replaceAll('pot_…', '$(pot)')
    .replaceAll('http://127.0.0.1:8080', address)
    .replaceAll('curl -sSu', 'curl -fsSu')
  assert.ok(!lines.includes('…'), lines)
  return ['set -e', READ, lines, 'corridor payout show $(pot) --json'].join('\n')
}

test('docs/operations.md, "The first live account": every command runs, ends with a paid payout', async t => {
  const database = await createDatabase({ empty: true })
  const service = await startListening({ DATABASE_URL: database.url })
  const { corridor, errorOutput: told } = await startTyping(t, database.url)
  try {
    const script = scriptOf(
      await readFile('docs/operations.md', 'utf8'),
      'The first live account',
      service.address,
    )
    const bash = spawn('bash', ['-s'], { env: BARE })
    bash.stdin.end(`${corridor}\n${script}`)
    const [printed, said] = await Promise.all([text(bash.stdout), text(bash.stderr)])
    const shown = printed.slice(printed.lastIndexOf('\n{\n') + 1)
    assert.match(shown, /^\{/, `${printed}\n${said}\n${told()}`)
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
