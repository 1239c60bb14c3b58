// GET /v3/operator/account/{id}/income and /v3/operator/income: what an account, or all live ones,
// have brought in, from their books.
import type { FastifyInstance } from 'fastify'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { Closed, Envelope, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { accountNamed } from './accounts.ts'
import type { OfDesk } from './desk.ts'
import { INCOME_DAYS, type Income, type IncomeCounter } from './income.ts'
import { AccountPath, type Named } from './request.ts'

/** An account of millions of payouts takes longer once, and is then summed up. */
const WAIT_MS = 2000

interface Needs extends OfDesk {
  readonly income: IncomeCounter
}

const Minor = (description: string) => Type.String({ pattern: '^-?\\d+$', description })

export const IncomeResponse = Closed(
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
    complete: Type.Boolean({
      description: 'False while the process sums up its first days: ask again in a moment.',
    }),
    results: Type.Array(IncomeResponse),
  },
  {
    title: 'IncomeList',
    description: 'Oldest first; days and currencies without any are not there.',
  },
)

const AllIncomeResponse = Type.Object(
  {
    counted_at: textOrNull({ format: 'date-time' }),
    results: Type.Array(IncomeResponse),
  },
  { title: 'AllIncome', description: 'Of all live accounts, oldest first.' },
)

export function incomeRoutes(app: FastifyInstance, deps: Needs): void {
  allRoute(app, deps)
  app.get<Named>(
    '/v3/operator/account/:id/income',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listIncome',
        summary: `What an account has brought in, by day, for ${INCOME_DAYS} days.`,
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
      await accountNamed(deps.desk.audit, id)
      const { complete, results } = await deps.income.of(id, WAIT_MS)
      const list = { object: 'list', has_more: false, complete }
      return send(reply, success({ ...list, results: results.map(presentIncome) }))
    },
  )
}

function allRoute(app: FastifyInstance, deps: Needs): void {
  app.get(
    '/v3/operator/income',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listAllIncome',
        summary: `What all live accounts have brought in, by day, for ${INCOME_DAYS} days.`,
        description:
          'As counted every hour by a process that settles payouts; one that has not counted yet ' +
          'answers with `counted_at` null.',
        response: Envelope(AllIncomeResponse),
        refusals: [],
      }),
    },
    async (_request, reply) => {
      const { counted_at = null, results = [] } = deps.income.all ?? {}
      return send(reply, success({ counted_at, results: results.map(presentIncome) }))
    },
  )
}

function presentIncome({ day, currency, fees, fx }: Income) {
  return { day, currency, fees: fees.toString(), fx: fx.toString() }
}
