// A person proposes whose a credit in suspense is; another person then does it.
import { Closed, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { REST_KINDS } from '../treasury/match/by-person.ts'
import { caseNumber } from '../treasury/match/case-id.ts'
import { insertNote } from '../treasury/match/exception-store.ts'
import { findLines } from '../treasury/match/open-store.ts'
import { MATCHED } from '../treasury/match/second-person.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { writing } from './action.ts'
import { PATHS } from './nostro-shown.ts'
import { accountNamed, known } from './operator-write.ts'

/** `match`: with items of the house, or with other lines. */
const WAYS: readonly string[] = ['return', MATCHED, ...REST_KINDS]

export const propose = writing({
  name: 'nostro propose',
  path: '/v3/operator/nostro_line/:id/proposal',
  operationId: 'proposeLine',
  summary: 'Propose whose a large credit in suspense is, for another person to do it.',
  description:
    'From `two_people_from` of its account on, a credit is given to an account, returned or ' +
    'booked only by a person other than the one who has proposed the same. So is its match with ' +
    'no item of an account. The newest proposal counts, once.',
  params: PATHS.line,
  body: Closed(
    {
      to: Text(40, {
        minLength: 1,
        description: `An account, or one of ${WAYS.join(', ')}.`,
      }),
      note: Text(900, { minLength: 1, description: 'Why; one line.' }),
    },
    { title: 'ProposeLine' },
  ),
  response: Type.Object(
    { line: Type.String(), to: Type.String(), by: Type.String() },
    { title: 'ProposedLine' },
  ),
  refusals: ['invalid_transition'],
  byPerson: true,
  async run(acting, { id, to, note }) {
    const line = known('line', id, (await findLines(acting.audit, [caseNumber('line', id)]))[0])
    if (line.match !== null || line.amount <= 0n) {
      throw refusal('invalid_transition', `${id} is no open credit.`)
    }
    if (to.startsWith('acc_')) await accountNamed(acting.audit, to)
    const is_known = to.startsWith('acc_') || WAYS.includes(to)
    const message = `to is an account, or one of ${WAYS.join(', ')}`
    refuseIfAny(is_known ? [] : [invalidField('to', message)])
    const by = acting.operator.name
    const words = `Proposes ${to}: ${note}`
    return acting.change(async sql => {
      const row = { of: 'line', row_id: line.id, by, owner: '', note: words, proposes: to } as const
      await insertNote(sql, row)
      return { line: id, to, by }
    })
  },
  command: {
    words: ({ line, to, by }) => `${line}  ${by} proposes ${to}; another person does it`,
    subject: 'line',
    listed: 'corridor report suspense',
    arguments: ['to'],
    options: { to: 'an account id, return, match, or what nostro book takes' },
    help: `
Another person then runs nostro credit, nostro return, nostro book or nostro
match.

Example:
  corridor nostro propose line_42 acc_7k2m9x4q --note "Invoice 118, by mail"`,
  },
})
