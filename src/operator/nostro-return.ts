// A person sends money in suspense back to its payer, by a payment at the bank that is made once.
import type { Static } from 'typebox'
import { Closed, MinorText } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { caseId, caseNumber } from '../treasury/match/case-id.ts'
import { findLines } from '../treasury/match/open-store.ts'
import { returnByPerson } from '../treasury/match/return.ts'
import { moneyWords } from '../values/money/words.ts'
import { writing } from './action.ts'
import { nostroNamed } from './nostro-changes.ts'
import { CaseId, PATHS } from './nostro-shown.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { known, type Operator } from './operator-write.ts'
import { Reason } from './request.ts'

export const ReturnResponse = Type.Object(
  {
    match: CaseId('The match that has the line; undone, the line is in suspense again.', 'match'),
    nostro: Type.String({ description: 'The account to pay from.' }),
    amount: MinorText('What to pay back.'),
    currency: Type.String(),
    payer_name: Type.String({ description: 'Who paid, as the bank says.' }),
    payer_account: Type.String({ description: 'The account that it came from; may be empty.' }),
    end_to_end_id: Type.String({
      description: 'What the payment must name, so that the bank’s debit matches by itself.',
    }),
  },
  { title: 'LineToReturn', description: 'A payment back that a person makes at the bank, once.' },
)

export const giveBack = writing({
  name: 'nostro return',
  path: '/v3/operator/nostro_line/:id/return',
  operationId: 'returnLine',
  summary: 'Send money in suspense back to its payer.',
  description:
    'The line leaves suspense, and the books expect the debit of one payment with ' +
    '`end_to_end_id`. From then on no account is credited with it. Undoing `match` takes it ' +
    'back, while the bank has not paid.',
  params: PATHS.line,
  body: Closed({ reason: Reason }, { title: 'ReturnLine' }),
  response: ReturnResponse,
  refusals: ['invalid_transition'],
  asksPassword: true,
  run: (acting, { id, reason }) =>
    oneAtATime(() =>
      acting.change(async sql => sendBack(sql, acting.audit, id, { reason, by: acting.operator })),
    ),
  command: {
    words: toPay,
    subject: 'line',
    listed: 'corridor report suspense',
    options: { reason: 'why; one line' },
    help: `
Make the payment at the bank with the end-to-end id that this prints: the bank's
debit then matches by itself. corridor nostro undo takes it back until then.

Example:
  corridor nostro return line_42 --reason "No customer of that name"`,
  },
})

async function sendBack(
  sql: Sql,
  audit: Sql,
  id: string,
  { reason, by }: { readonly reason: string; readonly by: Operator },
) {
  const number = caseNumber('line', id)
  const line = known('line', id, (await findLines(audit, [number]))[0])
  const nostro = await nostroNamed(audit, line.nostro)
  const asked = { line: number, nostro, note: reason, by }
  const { match, amount, end_to_end_id } = await returnByPerson(sql, asked)
  const { counterparty_name: payer_name, counterparty: payer_account } = line
  const payer = { payer_name, payer_account, end_to_end_id }
  const { name, currency } = nostro
  return { match: caseId('match', match), nostro: name, amount: String(amount), currency, ...payer }
}

function toPay(asked: Static<typeof ReturnResponse>) {
  const { match, nostro, amount, currency, payer_name, payer_account, end_to_end_id } = asked
  const outline = {
    pay: moneyWords(BigInt(amount), currency),
    from: nostro,
    to: payer_name,
    'to account': payer_account,
    'end-to-end id': end_to_end_id,
  }
  return { parts: [`${match}  to be paid back, once:`, { outline }] }
}
