// corridor verify on a book of a million journals: in order, and with one fault at a time at its end,
// where it is found last. In the long share.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { asSuperuser } from '../../bench/database.ts'
import { payerOf } from '../../bench/payouts.ts'
import { makeDue, settleDue } from '../../bench/settle-run.ts'
import { type Target, withTarget } from '../../bench/target.ts'
import { LONG, promised } from '../support/share.ts'

/** Two journals each. */
const PAYOUTS = 500_000
const LIMIT_MS = 60_000

test('corridor verify, a million journals: clean within a minute; each of three faults named within a minute', {
  skip: !LONG && 'in the long share',
}, async t => {
  await withTarget({}, async target => {
    const { account_id, database_url } = target
    await makeDue(await payerOf(target), PAYOUTS)
    await settleDue(target)
    await asSuperuser(database_url, async sql => {
      // No trigger keeps this session from changing the book.
      await sql`set session_replication_role = replica`
      const [book] = await sql<{ journals: bigint; pair: bigint }[]>`
        select b.journal_count as journals, max(j.number) as pair
        from books b join journals j on j.account_id = b.account_id and j.kind = 'payout'
        where b.account_id = ${account_id} group by 1`
      assert.ok(book !== undefined && book.journals >= 2 * PAYOUTS, `${book?.journals} journals`)
      assert.equal((await verify(t, target, 'in order')).ok, true)
      for (const { name, key, plant, undo } of faultsAt(account_id, book.pair)) {
        await sql.unsafe(plant)
        const { problem } = await verify(t, target, name)
        await sql.unsafe(undo)
        const named = [problem?.account_id, problem?.table, problem?.key]
        assert.deepEqual(named, [account_id, 'journals', key], name)
      }
    })
  })
})

/** What it says, within the limit. */
async function verify(t: TestContext, { command }: Target, what: string) {
  const started = performance.now()
  // Where there is a fault the exit code is 1, and what was printed is with the error.
  const printed = await command('verify', '--json').catch(
    (error: { stdout: string }) => error.stdout,
  )
  promised(t, what, performance.now() - started, LIMIT_MS)
  return JSON.parse(printed)
}

/**
 * Each fault, the statement that repairs it, and the journal that verify must name. `number` is that
 * of a payout close to the end of the book, before its settlement.
 */
function faultsAt(account_id: string, number: bigint) {
  const at = (n: bigint | string) => `account_id = '${account_id}' and number = ${n}`
  const move = (from: bigint | string, to: bigint | string) =>
    `update journals set number = ${to} where ${at(from)}`
  const spare = '9000000000'
  const exchange = [move(number, spare), move(number + 1n, number), move(spare, number + 1n)].join(
    ';',
  )
  const key = `number ${number}`
  return [
    {
      name: 'a changed amount',
      key,
      plant: `update journals set amounts[1] = amounts[1] - 1, amounts[2] = amounts[2] + 1,
        amount = amount - 1 where ${at(number)}`,
      undo: `update journals set amounts[1] = amounts[1] + 1, amounts[2] = amounts[2] - 1,
        amount = amount + 1 where ${at(number)}`,
    },
    {
      name: 'a changed line',
      key,
      plant: `update journals set balance_after = balance_after + 1 where ${at(number)}`,
      undo: `update journals set balance_after = balance_after - 1 where ${at(number)}`,
    },
    { name: 'a reordered journal', key, plant: exchange, undo: exchange },
  ]
}
