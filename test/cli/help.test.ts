// What the command line says of itself, and how it refuses a wrong call, for every command.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Command } from 'commander'
import { makeProgram } from '../../src/cli/commands.ts'
import { pathOf } from '../../src/cli/context.ts'
import { openCli } from '../support/service/cli.ts'

/** Nobody listens there: a wrong call is refused before the database is opened. */
const NOWHERE = 'postgres://127.0.0.1:1/corridor'

const cli = await openCli(NOWHERE)
after(() => cli.close())

const program = await makeProgram(() => true)

/** The commands of a group, and of the groups in it. */
function leavesOf({ commands }: { readonly commands: readonly Command[] }): readonly Command[] {
  return commands.flatMap(command =>
    command.commands.length === 0 ? [command] : leavesOf(command),
  )
}
const leaves = leavesOf(program)

function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({
    writeOut: text => {
      help += text
    },
  })
  command.outputHelp()
  return help
}

for (const command of leaves) {
  const name = pathOf(command)
  test(`corridor ${name} --help: purpose and an example, in 80 columns`, () => {
    const help = helpOf(command)
    assert.match(command.description(), /^[a-z].{10}/)
    assert.match(help, new RegExp(`\\n {2}.*corridor ${name}`))
    assert.match(help, /--json/)
    for (const { description } of [...command.options, ...command.registeredArguments]) {
      assert.notEqual(description, '')
      assert.doesNotMatch(description, /^[a-z][A-Z]/)
    }
    assert.deepEqual(
      help.split('\n').filter(line => line.length > 80),
      [],
    )
  })
}

test('corridor --help with all groups: in 80 columns', () => {
  const groups = program.commands.filter(({ commands }) => commands.length > 0)
  for (const command of [program, ...groups]) {
    const wide = helpOf(command)
      .split('\n')
      .filter(line => line.length > 80)
    assert.deepEqual(wide, [], command.name())
  }
})

test('corridor --help: every command and the exit codes; exit code 0', async () => {
  const { code, stdout } = await cli.run('--help')
  assert.equal(code, 0)
  const names = ['start', 'migrate', 'account', 'key', 'fund', 'rates', 'fees', 'payout', 'demo']
  for (const name of [...names, 'entity', 'verify', 'backup', 'restore']) {
    assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
  }
  assert.match(stdout, /^Exit codes: 0 done, 1 failed or refused, 2 wrong call or setting\.$/m)
})

const OPEN = ['account', 'create', '--currencies', 'USD', '--primary-currency', 'USD']

const WRONG: readonly (readonly [...args: string[]])[] = [
  ['bogus'],
  [...OPEN],
  [...OPEN, '--name', ''],
  [...OPEN, '--name', '  '],
  [...OPEN, '--name', 'Test', '--fund', 'USD=1=2'],
  ['rates', 'list', '--bogus'],
  ['rates', 'set', 'EUR', 'USD'],
  ['rates', 'import', '/no/such/file.csv'],
  ['fees', 'set', '--payout-type', 'local'],
  ['fees', 'set', '--payout-type', 'card', '--fee-currency', 'USD'],
  ['payout', 'transition', 'pot_1', 'gone'],
  ['payout', 'transition', 'pot_1', 'succeeded', '--code', 'X'],
  ['payout', 'transition', 'pot_1', 'succeeded', '--reason', ' '],
  ['entity', 'list', '--status', 'gone'],
  ['entity', 'list', '--limit', '0'],
  ['entity', 'reject', 'ent_1', '--reason', 'x'.repeat(501)],
  ['entity', 'approve'],
  ['entity', 'approve', 'ent_1', 'ent_2', '--seen', '2026-11-21T03:20:02.123456Z'],
  ['entity', 'explain'],
  ['demo', '--url', 'ftp://127.0.0.1'],
]
test('corridor, wrong usage: exit code 2, message on standard error, standard output empty', async () => {
  const runs = await Promise.all(WRONG.map(async args => ({ args, ...(await cli.run(...args)) })))
  for (const { args, code, stdout, stderr } of runs) {
    assert.deepEqual([args, code, stdout], [args, 2, ''])
    assert.match(stderr, /^(corridor: |error: ).+\n/)
    assert.doesNotMatch(stderr, /^ {4}at /m)
  }
})

test('corridor rates list, database down: exit code 1 and one line', async () => {
  const { code, stdout, stderr } = await cli.run('rates', 'list')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^corridor: the database cannot be reached: nothing listens at .*ECONNREFUSED.*\n$/,
  )
})

test('corridor rates list, missing Unix socket: exit code 1 and one line', async () => {
  const nobody = await openCli('postgres://corridor@localhost/corridor?host=/nowhere')
  const { code, stdout, stderr } = await nobody.run('rates', 'list')
  await nobody.close()
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^corridor: .*nothing listens at \/nowhere\/\.s\.PGSQL\.5432 \(ENOENT\).*\n$/,
  )
})
