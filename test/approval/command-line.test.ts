// Members on the command line: an approver is shown what waits and decides about it, and a member
// without a role on the account is shown nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { closeVerified } from '../support/assert/books.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { type CommandResult, openCli } from '../support/service/cli.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  const { account_id } = account.account
  const other = await service.openAccount({ currencies: ['USD'] })
  await addPerson(service, { user: 'mary', roles: [[account_id, 'approver']] })
  await addPerson(service, { user: 'val', roles: [[account_id, 'viewer']] })
  await addPerson(service, { user: 'eve', roles: [[other.account.account_id, 'approver']] })
})
after(() => closeVerified(service))

async function run(user: string, ...args: readonly string[]): Promise<CommandResult> {
  const cli = await openCli(service.database.url, { CORRIDOR_USER: user })
  return cli.run(...args).finally(cli.close)
}

const idOf = async (path: string, body: object): Promise<string> => {
  const made = await account.post(path, body)
  assert.equal(made.status, 200, made.text)
  return made.json.data.payout_batch?.id ?? made.json.data.id
}

/** In this order: once a payee needs an approval, so would those of the payouts. */
const SUBJECTS = [
  ['payout', 'payout', () => idOf('/v3/payout', localPayout)],
  [
    'payout batch',
    'payout',
    () => idOf('/v3/payout_batch', { payouts: [{ ...localPayout, allow_duplicate: true }] }),
  ],
  ['beneficiary', 'beneficiary', () => idOf('/v3/beneficiary', bankBeneficiary)],
] as const

for (const [what, command, make] of SUBJECTS) {
  test(`${what} that waits: the approver is shown it and approves, a viewer is shown it, others are not`, async () => {
    const { account_id } = account.account
    await addApprovalRule(service, { account_id, subject: command, approvers: 1 })
    const id = await make()
    const stranger = await run('eve', command, 'approval', id, '--json')
    assert.deepEqual([stranger.code, stranger.stdout], [1, ''])
    assert.match(stranger.stderr, /eve has no role on its account/)
    const { digest } = (await run('val', command, 'approval', id, '--json')).json
    const decided = await run('val', command, 'approve', id, '--digest', digest)
    assert.deepEqual([decided.code, decided.stdout], [1, ''], decided.stderr)
    const done = await run('mary', command, 'approve', id, '--digest', digest)
    assert.match(done.stdout, new RegExp(`^${id} {2}approved`), done.stderr)
  })
}

test('member, every other command: refused', async () => {
  const { account_id } = account.account
  for (const args of [
    ['account', 'list'],
    ['key', 'list', account_id],
    ['beneficiary', 'archive', 'bnf_x', '--reason', 'x'],
  ]) {
    const { code, stdout, stderr } = await run('mary', ...args)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /mary is a member, who works for accounts by the API/)
  }
})
