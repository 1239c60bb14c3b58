// A database with a row in every table, made through the real service: every kind of payout, and
// kept answers, batches, imports, webhooks, a sandbox and rows that wait besides.
import assert from 'node:assert/strict'
import { onCluster } from '../support/database/citus.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { openCli } from '../support/service/cli.ts'
import { importInto } from '../support/service/importing.ts'
import { eraseBy, openContext } from '../support/service/operate.ts'
import { addPerson, type Client } from '../support/service/service.ts'
import { type History, makeHistory } from './history.ts'

export async function makeEverything(): Promise<History> {
  const history = await makeHistory()
  try {
    await addEverything(history)
  } catch (error) {
    await history.service.close()
    throw error
  }
  return history
}

async function addEverything(history: History): Promise<void> {
  const { main, sister } = history
  const good = async (answering: Promise<{ status: number; text: string }>) => {
    const answer = await answering
    assert.equal(answer.status, 200, answer.text)
  }
  for (const key of ['a', 'b', 'c']) {
    const paid = { ...localPayout, amount: 1_500, reference_id: `kept-${key}` }
    await good(main.post('/v3/payout', paid, { 'idempotency-key': key }))
  }
  for (const reference_id of ['june', 'july']) {
    const payouts = [1_000, 2_000].map(amount => ({ ...localPayout, amount, reference_id }))
    const held = { ...localPayout, amount: 3_000, on_behalf_of: history.entities.pending }
    const refused = { ...localPayout, amount: 9_000_000_000 }
    const body = { mode: 'best_effort', reference_id, payouts: [...payouts, held, refused] }
    await good(main.post('/v3/payout_batch', body, { 'idempotency-key': reference_id }))
  }
  for (const client of [main, sister]) {
    const endpoint = { url: 'https://8.8.8.8/hook', event_types: ['payout.*'] }
    const made = await client.post('/v3/webhook_endpoint', endpoint)
    assert.equal(made.status, 200, made.text)
    await good(client.post(`/v3/webhook_endpoint/${made.json.data.id}/test`, {}))
  }
  const listed = await main.post('/v3/beneficiary', bankBeneficiary)
  await good(main.put(`/v3/beneficiary/${listed.json.data.id}`, { name: 'Another Name' }))
  const rows = [1_150, 2_250].map(amount => {
    return { ...localPayout, amount, reference_id: `INV-${amount}` }
  })
  await importInto(history.service, main, 'payouts.csv', rows)
  for (const amount of [1_000, 2_500]) await convert(main, amount)
  await splitPayment(history)
  await addRowsThatWait(history)
  await eraseSome(history)
  await approveSome(history)
}

/** Euros into dollars of the same account, and a quote that nobody uses. */
async function convert(client: Client, amount: number): Promise<void> {
  const body = { holding_info: { currency: 'EUR' }, destination_info: { currency: 'USD', amount } }
  await client.post('/v3/conversion/quote', body)
  const { json } = await client.post('/v3/conversion/quote', body)
  const made = await client.post(
    '/v3/conversion',
    { quote: json.data?.id },
    { 'idempotency-key': `${amount}` },
  )
  assert.equal(made.status, 200, made.text)
}

/** A payout to a new payee and a beneficiary, in each of two accounts, that somebody has approved. */
async function approveSome({ service }: History): Promise<void> {
  for (const user of ['ann', 'bob']) {
    const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
    const { account_id } = client.account
    const person = await addPerson(service, { user, roles: [[account_id, 'approver']] })
    await addApprovalRule(service, { account_id, new_payee: true })
    await service.deps.reference.refresh()
    const made = await client.post('/v3/payout', { ...localPayout, amount: 1_000 })
    await addApprovalRule(service, { account_id, subject: 'beneficiary' })
    const listed = await client.post('/v3/beneficiary', bankBeneficiary)
    for (const path of [`payout/${made.json.data.id}`, `beneficiary/${listed.json.data.id}`]) {
      const { digest } = (await client.get(`/v3/${path}/approval`)).json.data
      const answer = await service.inject({
        method: 'POST',
        url: `/v3/${path}/approve`,
        headers: person.headers(account_id),
        payload: { digest, reason: `Known to ${user}` },
      })
      assert.equal(answer.status, 200, answer.text)
    }
  }
}

/** A beneficiary that was changed, in two accounts. */
async function eraseSome({ service, main, sister }: History): Promise<void> {
  // A spread database erases nobody.
  if (onCluster) return
  const { context, close } = await openContext(service, 'ada')
  for (const client of [main, sister]) {
    const made = await client.post('/v3/beneficiary', bankBeneficiary)
    const { id } = made.json.data
    assert.equal((await client.put(`/v3/beneficiary/${id}`, { name: 'Ilse' })).status, 200)
    await eraseBy(context, id, `Request of ${id}`)
  }
  await close()
}

/** One payment that has funded two live accounts. */
async function splitPayment({ service }: History): Promise<void> {
  const cli = await openCli(service.database.url)
  for (const split of [[], ['--split']]) {
    const { account } = await service.openAccount({ sandbox: false, currencies: ['USD'] })
    const to = ['fund', account.account_id, 'USD', '5.00', '--reference', 'BANK-1', ...split]
    const { code, stdout, stderr } = await cli.run(...to)
    assert.equal(code, 0, stdout + stderr)
  }
  await cli.close()
}

/** What workers write, as they would have written it: deliveries, attempts and an ended review. */
async function addRowsThatWait({ service, main, entities }: History): Promise<void> {
  const { owner } = service.database
  await owner`
    insert into clock_corrections (set_from, set_to) values
      ('2026-01-02', '2026-01-01'), ('2026-01-04', '2026-01-03')`
  const { account_id } = main.account
  await owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, created_at, updated_at)
    select e.account_id, w.id, n.number, 'whd_' || n.number, e.id, e.sequence, e.type, e.object_id,
      'succeeded', e.created_at, e.created_at
    from (values (1), (2)) n (number)
    join each_event e on e.account_id = ${account_id} and e.sequence = n.number
    join webhook_endpoints w on w.account_id = e.account_id`
  await owner`
    insert into users (name, full_name, role) values
      ('ada', 'Ada Lovelace', 'operator'), ('grace', 'Grace Hopper', 'auditor')`
  await owner`
    insert into account_roles (user_name, account_id, role) values
      ('ada', ${account_id}, 'maker'), ('grace', ${account_id}, 'viewer'),
      ('ada', ${account_id}, 'owner')`
  await owner`
    insert into user_keys (key_id, user_name, secret_hash, name) values
      ('usk_00000000000000000001', 'ada', sha256('a'), 'a'),
      ('usk_00000000000000000002', 'grace', sha256('g'), 'g')`
  await owner`
    insert into means_given (user_name, means, given_by) values
      ('ada', 'role', 'bob'), ('grace', 'role', 'bob')`
  await owner`
    insert into user_passwords (user_name, secret_hash) values
      ('ada', '$argon2id$a'), ('grace', '$argon2id$g')`
  await owner`
    insert into second_factors (user_name, secret, enrolled_at) values
      ('ada', repeat('A', 32), now()), ('grace', repeat('G', 32), null)`
  await owner`
    insert into recovery_codes (secret_hash, user_name, used_at) values
      (sha256('ra'), 'ada', null), (sha256('rg'), 'grace', now()), (sha256('rb'), 'ada', now())`
  await owner`
    insert into second_factor_rules (scope) values ('installation'), (${account_id})`
  await owner`
    insert into user_identities (issuer, subject, user_name) values
      ('https://login.example.com', 'a', 'ada'), ('https://login.example.com', 'g', 'grace')`
  await owner`
    insert into invitations (invitation_id, secret_hash, account_id, email, roles, invited_by,
      expires_at, ended_at, accepted_by) values
      ('inv_00000000000000000001', sha256('i1'), ${account_id}, 'bo@example.com', '{viewer}', 'ada',
        now() + interval '1 day', null, null),
      ('inv_00000000000000000002', sha256('i2'), ${account_id}, '', '{maker,viewer}', 'ada',
        now() + interval '2 days', now(), 'grace')`
  await owner`
    insert into login_links (secret_hash, user_name, expires_at) values
      (sha256('la'), 'ada', now() + interval '1 hour'),
      (sha256('lg'), 'grace', now() + interval '2 hours')`
  await owner`
    insert into sessions (secret_hash, user_name, ended_at) values
      (sha256('sa'), 'ada', null), (sha256('sg'), 'grace', null), (sha256('so'), 'ada', now()),
      (sha256('sp'), 'grace', now() + interval '1 second')`
  await owner`
    insert into routes (payout_type, rail, priority) values
      ('local', 'manual', 1), ('swift', 'manual', 2)`
  await owner`
    insert into pricing_policies (name, value, effective_from, created_at) values
      ('spread_bps', '0', now() + interval '1 day', now()),
      ('quote_validity_s', '60', now() + interval '1 day', now())`
  await owner`
    insert into webhook_attempts (account_id, delivery_id, number, created_at, duration_ms,
      status_code, error, answer)
    select account_id, id, 1, created_at, 12, 200, '', 'ok' from webhook_deliveries`
  await owner`
    insert into ended_reviews (account_id, entity_id, due_at) values
      (${account_id}, ${entities.approved}, now()), (${account_id}, ${entities.released}, now())`
}
