// GET /v3/operator/account/{id}/income: what an account has brought in, from its book.
import type { FastifyInstance } from 'fastify'
import { numberAt } from '../balance-transaction/store.ts'
import type { Sql } from '../db/connect.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { Closed, Envelope } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { type Instant, instantFromIso } from '../instant.ts'
import { accountNamed } from './accounts.ts'
import type { Desk } from './desk.ts'
import { AccountPath } from './request.ts'

const DAYS = 30
const DAY_MS = 86_400_000

const Minor = (description: string) => Type.String({ pattern: '^-?\\d+$', description })

const IncomeResponse = Closed(
  {
    day: Type.String({ format: 'date', description: 'Of UTC, by the clock of the account.' }),
    currency: Type.String(),
    fees: Minor('Fees of payouts less those given back, in minor units, as text.'),
    fx: Minor('Income of conversions, by spread and rounding, in minor units, as text.'),
  },
  { title: 'Income' },
)

const IncomeList = Type.Object(
  {
    object: Type.Literal('list'),
    has_more: Type.Literal(false),
    results: Type.Array(IncomeResponse),
  },
  {
    title: 'IncomeList',
    description: 'Oldest first; days and currencies without any are not there.',
  },
)

export function incomeRoutes(app: FastifyInstance, deps: { readonly desk: Desk }): void {
  app.get<{ Params: { id: string } }>(
    '/v3/operator/account/:id/income',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listIncome',
        summary: `What an account has brought in, by day, for ${DAYS} days.`,
        description:
          'Sums of the postings to `fees` and `fx_income` in its book: a payout that fails or is ' +
          'reversed takes back on that day what it brought before.',
        params: AccountPath,
        response: Envelope(IncomeList),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { audit } = deps.desk
      await accountNamed(audit, id)
      const results = await listIncome(audit, id)
      return send(reply, success({ object: 'list', has_more: false, results }))
    },
  )
}

interface Income {
  readonly day: string
  readonly currency: string
  readonly fees: string
  readonly fx: string
}

async function listIncome(sql: Sql, account_id: string): Promise<Income[]> {
  const today = Math.trunc(Date.now() / DAY_MS) * DAY_MS
  const since = instantFromIso(new Date(today - (DAYS - 1) * DAY_MS).toISOString()) as Instant
  const first = await numberAt(sql, account_id, { created_at: since, side: 'before' })
  return sql<Income[]>`
    select to_char(j.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, p.currency,
      coalesce(sum(p.amount) filter (where p.code = 'fees'), 0)::text as fees,
      coalesce(sum(p.amount) filter (where p.code = 'fx_income'), 0)::text as fx
    from journals j
    cross join unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '), j.amounts)
      as p (code, currency, amount)
    where j.account_id = ${account_id} and j.number >= ${first}::text::bigint
      and p.code in ('fees', 'fx_income')
    group by 1, 2 order by 1, 2`
}
