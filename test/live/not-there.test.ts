// Ids that name nothing, and lists with nothing in them: every command says so alike, and changes
// nothing.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rowVersions } from '../support/assert/check.ts'
import { createDatabase } from '../support/database/database.ts'
import { openCli } from '../support/service/cli.ts'
import { openAccountOn } from '../support/service/process.ts'

const database = await createDatabase()
const cli = await openCli(database.url)
after(async () => {
  await cli.close()
  await database.drop()
})

/** On a database that `corridor migrate` has just made. */
const EMPTY: readonly (readonly [command: string, says: RegExp])[] = [
  ['account list', /^no account yet; corridor account create opens one$/],
  ['fees list', /^no fee: payouts of live accounts are refused; corridor fees set adds one$/],
  ['fees history', /^no change so far$/],
  ['route list', /^no route: payouts of live accounts are refused\. Try corridor route set /],
  ['pricing history', /^no change so far$/],
  ['payout list', /^no payout$/],
  [
    'payout list --rail manual --status processing',
    /^no payout that is processing with rail manual$/,
  ],
  ['entity list', /^nothing waits for review$/],
  ['entity list --status rejected', /^no entity is rejected$/],
]

for (const [command, says] of EMPTY) {
  test(`corridor ${command}, no rows: one sentence, exit code 0`, async () => {
    const { code, stdout, stderr } = await cli.run(...command.split(' '))
    assert.deepEqual([code, stderr, stdout.split('\n').length], [0, '', 2])
    assert.match(stdout.trimEnd(), says)
  })
}

const WHY = ['--reason', 'Why']
const SINCE = ['--from', '2026-01-01']

/** What is named, and every command that names it. */
const MISSING: readonly (readonly [what: string, id: string, commands: readonly string[][]])[] = [
  [
    'account',
    'acc_0',
    [
      ['account', 'show', 'acc_0'],
      ['account', 'set', 'acc_0', '--name', 'Acme'],
      ['account', 'freeze', 'acc_0', ...WHY],
      ['account', 'unfreeze', 'acc_0', ...WHY],
      ['account', 'close', 'acc_0', ...WHY],
      ['key', 'create', 'acc_0', '--scope', 'read'],
      ['key', 'list', 'acc_0'],
      ['fund', 'acc_0', 'USD', '1.00', '--reference', 'BANK-1'],
      ['withdraw', 'acc_0', 'USD', '1.00', '--reference', 'BANK-1', ...WHY],
      ['adjust', 'acc_0', 'USD', '1.00', '--reference', 'BANK-1', ...WHY],
      ['route', 'set', '--rail', 'manual', '--account', 'acc_0'],
      ['route', 'remove', '--account', 'acc_0'],
      ['pricing', 'set', '--spread-bps', '5', '--account', 'acc_0'],
      ['payout', 'list', '--account', 'acc_0'],
      ['entity', 'list', '--account', 'acc_0'],
      ['statement', 'acc_0', ...SINCE],
      ['listen', '--account', 'acc_0'],
      ['verify', '--account', 'acc_0'],
    ],
  ],
  [
    'payout',
    'pot_0',
    [
      ['payout', 'show', 'pot_0'],
      ['payout', 'take', 'pot_0'],
      ['payout', 'release', 'pot_0', ...WHY],
      ['payout', 'transition', 'pot_0', 'failed', ...WHY],
    ],
  ],
  [
    'entity',
    'ent_0',
    [
      ['entity', 'show', 'ent_0'],
      ['entity', 'approve', 'ent_0'],
      ['entity', 'reject', 'ent_0'],
      ['entity', 'require-action', 'ent_0'],
      ['entity', 'explain', 'ent_0'],
    ],
  ],
  ['key', 'key_0', [['key', 'revoke', 'key_0']]],
  ['balance transaction', 'btr_0', [['reverse', 'btr_0', ...WHY]]],
]

for (const [what, id, commands] of MISSING) {
  test(`commands that name an unknown ${what}, ${commands.length} of them: exit code 1 and one sentence`, async () => {
    const before = await rowVersions(database.owner)
    for (const args of commands) {
      const { code, stdout, stderr } = await cli.run(...args)
      assert.deepEqual([args, code, stdout], [args, 1, ''], stderr)
      assert.match(stderr, new RegExp(`^corridor: there is no ${what} ${id}; [^\\n]+\\n$`))
    }
    assert.deepEqual(await rowVersions(database.owner), before)
  })
}

test('file import into an unknown account: exit code 1 and the same sentence', async () => {
  const file = await cli.file('call.jsonl', '{"type":"individual","name":"Anna"}\n')
  for (const args of [
    ['payout', 'import', file, '--account', 'acc_0'],
    ['entity', 'import', file, '--account', 'acc_0'],
  ]) {
    const { code, stderr } = await cli.run(...args)
    assert.equal(code, 1)
    assert.match(stderr, /^corridor: there is no account acc_0; corridor account list /)
  }
})

test('command with an account id of which a letter is missing: suggests the likely id; no keys: one sentence', async () => {
  const { account_id } = (await openAccountOn(database.url, {})).account
  const { code, stderr } = await cli.run('account', 'show', account_id.slice(0, -1))
  assert.deepEqual([code, stderr.includes(`; did you mean ${account_id}?`)], [1, true], stderr)
  await database.owner.begin(async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await tx`delete from api_keys where account_id = ${account_id}`
  })
  const keys = await cli.run('key', 'list', account_id)
  assert.deepEqual([keys.code, keys.stdout], [0, 'no key; corridor key create makes one\n'])
})
