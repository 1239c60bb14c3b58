// corridor verify against whoever owns the database: each user, role, key, password, link and session
// is as its newest row of the audit log says, and what was made, changed or taken away past it is named.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect } from '../../src/sql/connect.ts'
import { Findings } from '../../src/verify/problem.ts'
import { checkReference } from '../../src/verify/reference.ts'
import { verifyAudit } from '../../src/verify/run.ts'
import { undone } from '../support/database/undone.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { startTestService } from '../support/service/service.ts'
import { logInByLink } from '../support/service/session.ts'

const service = await startTestService()
const { account } = await service.openAccount({ currencies: ['USD'] })
const owner = connect(service.database.url, { max: 1, as: 'owner' })
const first = await openCli(service.database.url)
const run = async (cli: Cli, ...args: string[]) => {
  const { code, stderr } = await cli.run('user', ...args)
  assert.equal(code, 0, stderr)
}
await run(first, 'create', 'ada', '--full-name', 'Ada Lovelace', '--role', 'operator')
await first.close()
const ada = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
for (const name of ['mary', 'alan']) {
  await run(ada, 'create', name, '--full-name', name, '--role', 'member')
  await run(ada, 'give-role', name, 'maker', '--account', account.account_id)
  await run(ada, 'key', 'create', name, '--name', 'desk')
  await logInByLink(service, name)
  await run(ada, 'login-link', name)
}
await run(ada, 'disable', 'alan', '--reason', 'Left')
assert.equal((await ada.run('second-factor', 'require')).code, 0)
after(async () => {
  await ada.close()
  await owner.end({ timeout: 1 })
  await service.close()
})

/**
 * By hand, with the triggers off: what is done, and what the problem says of the row.
 * test/ledger/random-edits.test.ts edits every column, and deletes and forges rows of every table.
 */
const TAMPERED: Readonly<Record<string, readonly [done: string, says: RegExp]>> = {
  users: [
    `insert into users (name, full_name, role) values ('eve', 'Eve', 'operator')`,
    /a change in the audit log.*eve/s,
  ],
  account_roles: [`delete from account_roles where user_name = 'mary'`, /mary.*none/s],
  user_keys: [`update user_keys set user_name = 'ada' where user_name = 'mary'`, /mary.*ada/s],
  user_passwords: [
    `insert into user_passwords (user_name, secret_hash) values ('ada', '$argon2id$x')`,
    /a change in the audit log.*ada/s,
  ],
  second_factors: [
    `insert into second_factors (user_name, secret, enrolled_at)
     values ('ada', repeat('A', 32), now())`,
    /a change in the audit log.*ada/s,
  ],
  recovery_codes: [
    `insert into recovery_codes (secret_hash, user_name) values (sha256('r'), 'mary')`,
    /a change in the audit log.*mary/s,
  ],
  second_factor_rules: [`delete from second_factor_rules`, /installation.*none/s],
  login_links: [`update login_links set ended_at = null where user_name = 'alan'`, /alan/],
  sessions: [
    `insert into sessions (secret_hash, user_name) values (sha256('x'), 'ada')`,
    /a change in the audit log.*ada/s,
  ],
}
for (const table of Object.keys(TAMPERED)) {
  await owner.unsafe(`alter table ${table} disable trigger user`)
}

test('corridor verify, users and log-ins made by commands and the API: clean', async () => {
  for (const args of [['audit', 'verify'], ['verify']]) {
    const { code, stdout } = await ada.run(...args)
    assert.equal(code, 0, stdout)
  }
})

for (const [table, [done, says]] of Object.entries(TAMPERED)) {
  test(`corridor verify, row changed by SQL, ${done}: row named`, async () => {
    const problems = await undone(owner, async tx => {
      await tx.unsafe(done)
      const findings = new Findings(true)
      await checkReference({ tx, account_id: null, findings })
      return findings.problems
    })
    assert.ok(problems.length > 0, 'nothing is named')
    for (const problem of problems) {
      assert.equal(problem.table, table)
      assert.match(`${problem.expected} ${problem.found}`, says)
    }
  })
}

test('corridor audit verify, disabled user enabled by SQL: named to the auditor, no password shown', async () => {
  const audit = connect(service.database.url, { max: 1, as: 'auditor' })
  await owner`update users set disabled_at = null, disabled_reason = '' where name = 'alan'`
  await owner`update user_passwords set secret_hash = '$argon2id$known' where user_name = 'mary'`
  try {
    const problems = await verifyAudit(audit)
    assert.deepEqual(problems.map(({ table, key }) => `${table} ${key}`).sort(), [
      'user_passwords ["mary"]',
      'users ["alan"]',
    ])
    assert.doesNotMatch(JSON.stringify(problems), /argon2id/)
    await assert.rejects(audit`select secret_hash from user_passwords`, /permission denied/)
  } finally {
    await audit.end({ timeout: 1 })
  }
})
