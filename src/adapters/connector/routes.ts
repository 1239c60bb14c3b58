// POST /connector/{rail}/webhook: a connector reports that there is news of a payment. The webhook
// carries no news itself: the payout becomes due, and its rail is asked. So a forged or repeated
// webhook does no harm. It must be signed all the same.
import type { FastifyInstance } from 'fastify'
import { misfitsOf } from '../../http/validators.ts'
import { wakePayouts } from '../../payouts/advance/wake-store.ts'
import type { RailRow } from '../../rails/kind.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { refusal } from '../../values/errors.ts'
import { readSecrets } from './config.ts'
import { gather } from './gather.ts'
import { WakeBody } from './protocol.ts'
import { signatureProblem } from './signing.ts'

const PATH = '/connector/:rail/webhook'

/** A webhook is some 100 bytes. */
const MAX_WAKE_BYTES = 4 * 1024

interface Needs {
  readonly sql: Sql
  readonly reference: { current(): { readonly rails: readonly RailRow[] } }
}

export function connectorRoutes(app: FastifyInstance, deps: Needs): void {
  // Made at the first webhook: documents are generated from these routes without a database.
  let wake: ReturnType<typeof waker> | undefined
  // Only this scope reads a JSON body as text, which the signature covers.
  void app.register(async scope => {
    scope.removeContentTypeParser('application/json')
    const options = { parseAs: 'string', bodyLimit: MAX_WAKE_BYTES } as const
    scope.addContentTypeParser('application/json', options, (_request, body, done) => {
      done(null, body)
    })
    const schema = { hide: true }
    scope.post<{ Params: { rail: string }; Body: string }>(PATH, { schema }, async request => {
      const { rail } = request.params
      const row = deps.reference.current().rails.find(({ name }) => name === rail)
      const now_s = Math.floor(Date.now() / 1000)
      const secrets = row?.kind === 'connector' ? (readSecrets(row.secret).value ?? []) : []
      const problem = signatureProblem(secrets, request.headers, request.body ?? '', now_s)
      // An unknown rail is answered like a wrong signature.
      if (problem !== '') {
        throw refusal('invalid_credentials', `The webhook ${problem} for this connector.`)
      }
      const { account, id } = readWake(request.body)
      const [payout_id = '', attempt] = id.split('-')
      wake ??= waker(deps.sql)
      await wake(account, { rail, payout_id, attempt: Number(attempt) })
      return { status: 'success', message: '', data: {} }
    })
  })
}

function readWake(body: string): WakeBody {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    throw refusal('invalid_field', 'The body is {"account": …, "id": …}.', '')
  }
  const [misfit] = misfitsOf(WakeBody, json)
  if (misfit === undefined) return json as WakeBody
  const { instancePath, message = '' } = misfit
  const field = instancePath.slice(1)
  const about = field === '' ? 'The body is {"account": …, "id": …} and' : `The member ${field}`
  throw refusal('invalid_field', `${about} ${message}.`, field)
}

interface PaymentNews {
  readonly rail: string
  readonly payout_id: string
  readonly attempt: number
}

/** A function that makes a payout due now, if the rail has or had this attempt of it. */
function waker(sql: Sql): (account_id: string, news: PaymentNews) => Promise<void> {
  return gather<PaymentNews, void>(async (account_id, all) => {
    const ids = all.map(({ payout_id }) => payout_id)
    const attempts = await readConfined(sql, [account_id], tx => findAttempts(tx, account_id, ids))
    const known = all.filter(({ rail, payout_id, attempt }) =>
      attempts.some(
        row => row.rail === rail && row.payout_id === payout_id && row.attempt === attempt,
      ),
    )
    const keys = known.map(({ payout_id: id, attempt }) => ({ account_id, id, attempt }))
    await transactConfined(sql, [account_id], tx => wakePayouts(tx, keys))
    return all.map(() => undefined)
  })
}

function findAttempts(tx: TransactionSql, account_id: string, ids: readonly string[]) {
  return tx<PaymentNews[]>`
    select payout_id, number as attempt, rail from payout_attempts
    where account_id = ${account_id} and payout_id = any (${ids}::text[])`
}
