// GET /v3/payout/{id}/confirmation: a paid payout as PDF for its payee.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Account } from '../../accounts/rules.ts'
import type { Finds } from '../../engine/reads.ts'
import { pathId } from '../../http/docs.ts'
import { addRoute } from '../../http/route.ts'
import { Closed } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { isZone } from '../../values/calendar/rules.ts'
import { found, refusal } from '../../values/errors.ts'
import { idPattern } from '../../values/id.ts'
import type { Payout } from '../payout.ts'
import { confirmationPdf } from './confirmation.ts'

export interface Needs {
  readonly readers: { readonly payout: Finds<Payout> }
}

interface Asked {
  readonly account: Account
  readonly id: string
  readonly zone: string
}

const ZONE = 'zone is the IANA name of a time zone, such as Europe/Berlin.'

export function confirmationRoutes(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Params: { id: string }; Querystring: { zone?: string } }>(
    app,
    '/v3/payout/:id/confirmation',
    'read',
    {
      bare: true,
      operationId: 'getPayoutConfirmation',
      summary: 'The confirmation of a paid payout for its payee, as PDF.',
      description:
        'One page with payer, payee, account, amount, references and the day of the payment. ' +
        'Only a payout that is `succeeded` has one. The file says which characters of a name its ' +
        'font does not have.',
      params: pathId('pot'),
      querystring: Closed({
        zone: Type.Optional(
          Type.String({
            maxLength: 64,
            description:
              'The zone of the day of the payment, such as Europe/Berlin; by default UTC.',
          }),
        ),
      }),
      response: Type.String(),
      files: [{ media: 'application/pdf', description: 'One page of A4.' }],
      refusals: ['not_found', 'invalid_query_parameter', 'payout_not_paid'],
      send: (request, reply) =>
        sendConfirmation(deps, reply, {
          account: request.account,
          id: request.params.id,
          zone: request.query.zone ?? 'UTC',
        }),
    },
  )
}

/** Answers with the file. */
export async function sendConfirmation(
  { readers }: Needs,
  reply: FastifyReply,
  { account, id, zone }: Asked,
): Promise<FastifyReply> {
  if (!isZone(zone)) throw refusal('invalid_query_parameter', ZONE, 'zone')
  if (!new RegExp(idPattern('pot')).test(id)) throw refusal('not_found', 'No such payout.')
  const payout = found(await readers.payout({ account_id: account.account_id, id }))
  if (payout.status !== 'succeeded') {
    const message = `Payout ${id} is ${payout.status}; only a succeeded payout has a confirmation.`
    throw refusal('payout_not_paid', message)
  }
  const pdf = confirmationPdf({ payout, account, zone })
  return reply
    .type('application/pdf')
    .header('content-disposition', `attachment; filename="confirmation-${id}.pdf"`)
    .send(Buffer.from(pdf, 'latin1'))
}
