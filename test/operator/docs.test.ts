// docs/operator-api.md: its lines, typed one after the other on a service that has nothing yet, and its
// table of routes.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Command } from 'commander'
import document from '../../docs/operator.openapi.json' with { type: 'json' }
import { makeProgram } from '../../src/cli/commands.ts'
import { pathOf } from '../../src/cli/context.ts'
import { createDatabase } from '../support/database/database.ts'
import { BARE } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { startTyping } from '../support/service/typed.ts'

const PAGE = 'docs/operator-api.md'

/** What a reader puts in place of the dots, from what was printed before. */
const READ = `
acc() { grep -om1 'acc_[0-9a-z]*' <<< "$opened"; }
key() { grep -om1 'usk_[0-9a-z]*' <<< "$made"; }
secret() { grep -om1 'corridor_user_[A-Za-z0-9_-]*' <<< "$made"; }
`

function scriptOf(page: string, address: string): string {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const lines = blocks
    .join('')
    .replace(/^(corridor account create .*)$/m, 'opened=$($1)')
    .replace(/^(corridor user key create .*)$/m, 'made=$($1)')
    .replace(/^ {2}-d '(.*)'$/gm, (_, body: string) => `  -d "${body.replaceAll('"', '\\"')}"`)
    .replaceAll('usk_…:…', '"$(key):$(secret)"')
    .replaceAll('acc_…', '$(acc)')
    .replaceAll('http://127.0.0.1:8080', address)
    // The service learns of a new account and a new key a moment later.
    .replaceAll('curl -sSu', 'echo; curl --retry 60 --retry-delay 1 --retry-all-errors -fsSu')
  assert.ok(!lines.includes('…'), lines)
  return ['set -e', READ, lines].join('\n')
}

test(`${PAGE}: every command runs; an operator funds an account and finds it in the audit log`, async t => {
  const database = await createDatabase({ empty: true })
  const service = await startListening({ DATABASE_URL: database.url })
  const page = await readFile(PAGE, 'utf8')
  const [, user = ''] = /^export CORRIDOR_USER=(\w+)$/m.exec(page) ?? []
  const { corridor, errorOutput } = await startTyping(t, database.url, user)
  try {
    const script = scriptOf(page, service.address)
    const bash = spawn('bash', ['-s'], { env: BARE })
    bash.stdin.end(`${corridor}\n${script}`)
    const [printed, said] = await Promise.all([text(bash.stdout), text(bash.stderr)])
    const answers = printed.split('\n').filter(line => line.startsWith('{"status"'))
    assert.equal(answers.length, 3, `${printed}\n${said}\n${errorOutput()}`)
    const [funded, payouts, log] = answers.map(line => JSON.parse(line).data)
    assert.deepEqual([funded.by, funded.balance_after], ['ada', '10000000'])
    assert.deepEqual(payouts.results, [])
    const [act] = log.results
    assert.deepEqual([act.act, act.after.id], ['fund', funded.balance_transaction.id])
  } finally {
    await service.close()
    await database.drop()
  }
})

test(`${PAGE}: its table has every operator route`, async () => {
  const page = await readFile(PAGE, 'utf8')
  const paths = Object.entries(document.paths).filter(([path]) => path.includes('/operator/'))
  for (const [path, methods] of paths) {
    const short = path.replace('/v3/operator/', '')
    const steps = short.split('/')
    for (const method of Object.keys(methods)) {
      const rows = page.split('\n').filter(line => line.includes(method.toUpperCase()))
      const named = (row: string) =>
        row.includes(`${short}\``) ||
        (row.includes(steps.slice(0, -1).join('/')) && row.includes(`/${steps.at(-1)}\``))
      assert.ok(rows.some(named), `${method} ${short}`)
    }
  }
})

test(`${PAGE}: every command has a route or a stated reason for none; every command in it exists`, async () => {
  const page = await readFile(PAGE, 'utf8')
  const tables = page.split(/^## (?:Routes and commands|What only commands do)$/m).slice(1)
  const [routes = '', alone = ''] = tables.map((table, i) =>
    table
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.split(' | '))
      .map(([first = '', second = '']) => (i === 1 ? first : second))
      .join('\n'),
  )
  const program = await makeProgram(() => true)
  const commands = leavesOf(program).map(pathOf)
  const named = (cells: string) =>
    Array.from(cells.matchAll(/`([a-z][a-z -]*)`/g), ([, words = '']) => words.replace(/ --.*/, ''))
  const inTables = [...named(routes), ...named(alone)]
  assert.deepEqual(inTables.toSorted(), [...new Set(inTables)].toSorted(), 'named once')
  assert.deepEqual(inTables.toSorted(), commands.toSorted())
})

/** The commands of a group, and of the groups in it. */
function leavesOf({ commands }: { readonly commands: readonly Command[] }): readonly Command[] {
  return commands.flatMap(command =>
    command.commands.length === 0 ? [command] : leavesOf(command),
  )
}
