// Checks the books of a database by SQL statements of its own and by `corridor verify`. The
// statements share no code with the product.
import assert from 'node:assert/strict'
import type { Sql } from '../../../src/sql/connect.ts'
import type { Problem } from '../../../src/verify/problem.ts'
import { type Checked, type Verdict, verify } from '../../../src/verify/run.ts'
import { restoreExpired } from '../database/expired.ts'
import { openCli } from '../service/cli.ts'
import type { TestService } from '../service/service.ts'

/** Each statement selects the rows that break a rule of the books; it must select none. */
const WRONG = {
  'a balance is not the sum of its postings': `
    select b.account_id, b.currency, b.available, coalesce(p.total, 0) as total
    from balances b left join (
      select x.account_id, x.currency, sum(x.amount) as total from postings x
      where x.code = 'available' group by 1, 2
    ) p on p.account_id = b.account_id and p.currency = b.currency
    where b.available <> coalesce(p.total, 0)`,
  'journal numbers have gaps': `
    select b.account_id from books b left join journals j on j.account_id = b.account_id
    group by b.account_id, b.journal_count
    having count(j.number) <> b.journal_count or coalesce(max(j.number), 0) <> b.journal_count`,
  'events have gaps': `
    select b.account_id from books b left join each_event e on e.account_id = b.account_id
    group by b.account_id, b.event_count
    having count(e.sequence) <> b.event_count or coalesce(max(e.sequence), 0) <> b.event_count`,
  'payouts and debits are not one to one': `
    select coalesce(p.id, t.source) as id
    from payouts p full join
      (select * from balance_transactions where type = 'payout' and operation_type = 'debit') t
      on t.account_id = p.account_id and t.source = p.id
    where p.id is null or t.id is null or t.id <> p.balance_transaction_id
      or t.net_amount <> -(p.holding_amount + p.fixed_fee + p.variable_fee)`,
  'money given back is not what was taken, once, of what failed': `
    select p.id, s.status from payouts p
    left join payout_states s on s.account_id = p.account_id and s.id = p.id
    left join balance_transactions r
      on r.account_id = p.account_id and r.source = p.balance_transaction_id
      and r.type in ('payout_failure', 'payout_reversal')
    group by p.account_id, p.id, s.status, p.holding_amount, p.fixed_fee, p.variable_fee
    having count(r.id) <> (case when s.status in ('failed', 'reversed') then 1 else 0 end)
      or coalesce(sum(r.net_amount + coalesce((r.metadata ->> 'rate_difference')::bigint, 0)), 0)
        <> (case when s.status in ('failed', 'reversed')
        then p.holding_amount + p.fixed_fee + p.variable_fee else 0 end)`,
  'inter_account does not sum to zero': `
    select x.currency, sum(x.amount) from postings x
    where x.code = 'inter_account' group by 1 having sum(x.amount) <> 0`,
} as const

/** Fails with the wrong rows. `env` is the environment of `corridor verify`, with DATABASE_URL. */
export async function checkBooks(sql: Sql, env: Readonly<Record<string, string>>): Promise<void> {
  await checkRules(sql)
  const { DATABASE_URL = '', ...environment } = env
  const cli = await openCli(DATABASE_URL, environment)
  const { code, stdout, stderr } = await cli.run('verify').finally(cli.close)
  assert.equal(code, 0, stdout + stderr)
}

async function checkRules(sql: Sql): Promise<void> {
  for (const [what, statement] of Object.entries(WRONG)) {
    assert.deepEqual([...(await sql.unsafe(statement))], [], what)
  }
  await restoreExpired()
}

/**
 * The wrong rows, without acts that lack their row of the audit log: tests act through lanes, where
 * commands and the API also write the log.
 */
export function problemsBesidesActs(verdict: Verdict): readonly Problem[] {
  const problems = verdict.ok ? [] : verdict.problems
  return problems.filter(({ expected }) => !expected.endsWith('in the audit log'))
}

/** Checks as checkBooks does, without the command. Returns what was looked at. */
export async function verifyBooks(owner: Sql): Promise<Checked> {
  await checkRules(owner)
  const verdict = await verify(owner, { account_id: null, all: true })
  assert.deepEqual(problemsBesidesActs(verdict), [])
  return verdict.checked as Checked
}

/** Closes the service of a test, and checks its books. */
export async function closeVerified(service: TestService): Promise<void> {
  await verifyBooks(service.database.owner).finally(service.close)
}
