// docs/connect-a-provider.md, typed block by block in a folder of its own, on a database and ports of
// the test.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDatabase } from '../support/database/database.ts'
import { freePort } from '../support/network/port.ts'
import { BARE } from '../support/service/cli.ts'
import { startTyping } from '../support/service/typed.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))

/** A reader waits until the connector says that it listens. */
const LISTENS = `
listens() { for i in $(seq 600); do (: < /dev/tcp/127.0.0.1/$1) 2>&- && return; sleep 0.1; done; return 1; }
`

test('docs/connect-a-provider.md: each block runs unchanged', async t => {
  const database = await createDatabase()
  t.after(() => database.drop())
  const { corridor, folder, errorOutput: told } = await startTyping(t, database.url)
  await symlink(EXAMPLES, join(folder, 'examples'))
  // A function would be a process of its own around the one that the guide stops.
  await symlink(process.execPath, join(folder, 'node'))
  const port = await freePort()
  const page = await readFile('docs/connect-a-provider.md', 'utf8')
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  assert.ok(blocks.length >= 7)
  const script = [
    'set -e',
    'set -m',
    // What still runs would hold the output open.
    "trap 'kill $(jobs -p) 2>&-' EXIT",
    corridor,
    LISTENS,
    ...blocks.map(block => {
      const lines = block.replaceAll('4010', String(port)).replaceAll(/&$/gm, `& listens ${port}`)
      // What is stopped ends with the code of its signal.
      return `${lines.replaceAll(/&& (wait \$!)/g, '&& { $1 || true; }')}\necho "=== done"`
    }),
  ].join('\n')
  const PATH = `${folder}:${BARE.PATH}`
  const env = { ...BARE, PATH }
  await writeFile(join(folder, 'guide.sh'), script)
  const bash = spawn('bash', ['guide.sh'], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [printed, said] = await Promise.all([text(bash.stdout), text(bash.stderr)])
  const output = `${printed}\n${said}\n${told()}`
  assert.equal(printed.split('=== done').length - 1, blocks.length, output)
  assert.match(
    printed,
    /keeps the protocol as far as it was checked: \d+ passed, 0 failed, 1 skipped/,
  )
  assert.match(printed, /✓ keys-kept-since/)
  assert.match(printed, /✗ put-repeat/)
  assert.match(printed, /not ready/)
  assert.match(printed, /rail partner of kind connector added/)
})
