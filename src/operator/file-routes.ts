// GET /v3/operator/bank_file and /v3/operator/bank_file/{id}.
import type { FastifyInstance } from 'fastify'
import { FILE_STATES, type FileState, findFile, listFiles } from '../bank-file/file-store.ts'
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Closed, Envelope, Id, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Desk } from './desk.ts'
import { presentFile, presentFileInFull, showFile } from './files.ts'
import { AccountId, checkLimit, LimitText, optionally, type Query, readLimit } from './request.ts'

interface Needs {
  readonly desk: Desk
}

/** As the bank has it. */
const MessageId = Type.String({
  pattern: '^C[0-9A-HJKMNP-TV-Z]{15}$',
  description: 'The message id of the file.',
  examples: ['C1M7XPM2M0C6HKD4'],
})

const FilePath = Type.Object({ id: MessageId })

const timeOrNull = Type.Union([Timestamp, Type.Null()])

const FILE = {
  msg_id: MessageId,
  name: Type.String({ description: 'As it lies at the bank.' }),
  rail: Type.String(),
  format: Type.String({ examples: ['pain.001.001.09'] }),
  settlement_account: Type.String({ description: 'The account that the bank debits.' }),
  currency: Type.String(),
  execution_date: Type.String({ examples: ['2026-11-25'] }),
  item_count: Type.Integer(),
  control_sum: Type.String({ description: 'The sum of the payments, an exact decimal.' }),
  sha256: Type.String({ description: 'Of its bytes, in hex: `file release` names it.' }),
  encrypted: Type.Boolean(),
  sealed_at: Timestamp,
  needs_release: Type.Boolean({ description: 'A person must release it before it is sent.' }),
  resend_is_safe: Type.Boolean({ description: 'The bank takes each file once.' }),
  approved_by: Type.String({ description: 'Who has released it; empty of nobody.' }),
  approved_at: timeOrNull,
  state: Literals(FILE_STATES),
  reason: Type.String({ description: 'What the bank or a person has said of it.' }),
  offered_at: timeOrNull,
  offers: Type.Integer({ description: 'After the first, the bank may have it.' }),
  forced: Type.Boolean({ description: 'It goes although payouts in it are over.' }),
  sent_at: timeOrNull,
  uploads: Type.Integer(),
  updated_at: Timestamp,
  bytes: Type.Integer({ description: 'How many it has.' }),
}

const FileResponse = Type.Object(FILE, { title: 'BankFile', description: 'A file for a bank.' })

const FileInFullResponse = Type.Object(
  {
    ...FILE,
    payments: Type.Array(
      Type.Object({
        account_id: AccountId,
        payout: Id('pot', 'Payout id.'),
        attempt: Type.Integer(),
        end_to_end_id: Type.String(),
        uetr: Type.String(),
        amount: Type.Integer({ description: 'Minor units of the currency.' }),
        currency: Type.String(),
      }),
    ),
  },
  { title: 'BankFileInFull', description: 'A file for a bank, and the payments in it.' },
)

const FilesQuery = Closed(
  optionally({
    limit: LimitText,
    starting_after: MessageId,
    rail: Type.String({
      pattern: '^[a-z][a-z0-9_-]{0,39}$',
      description: 'Only files of this rail.',
    }),
    state: Literals(FILE_STATES, { description: 'Only files in this state.' }),
  }),
)

export function deskFileRoutes(app: FastifyInstance, deps: Needs): void {
  listRoute(app, deps)
  getRoute(app, deps)
}

function listRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Querystring: Query }>(
    '/v3/operator/bank_file',
    {
      config: { scope: 'installation_read', checkQuery: checkLimit },
      schema: operationDocs({
        operationId: 'listBankFiles',
        summary: 'List the files for banks, newest first.',
        querystring: FilesQuery,
        response: Envelope(ListOf(FileResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const { starting_after, rail } = request.query
      const after = starting_after && (await findFile(deps.desk.audit, starting_after))
      const isKnown = starting_after === undefined || after !== undefined
      refuseIfAny(isKnown ? [] : [invalidParameter('starting_after', 'It names no file.')])
      const limit = readLimit(request.query)
      const state = request.query['state'] as FileState | undefined
      // One more than is shown tells whether there are more.
      const query = { rail, state, starting_after, limit: limit + 1 }
      const files = await listFiles(deps.desk.audit, query)
      const results = files.slice(0, limit).map(presentFile)
      return send(reply, success({ object: 'list', has_more: files.length > limit, results }))
    },
  )
}

function getRoute(app: FastifyInstance, deps: Needs): void {
  app.get<{ Params: { readonly id: string } }>(
    '/v3/operator/bank_file/:id',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'getBankFile',
        summary: 'Show a file for a bank and the payments in it.',
        description: 'Its bytes are shown by `corridor file show --bytes` alone.',
        params: FilePath,
        response: Envelope(FileInFullResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const shown = await showFile(deps.desk.audit, request.params.id)
      return send(reply, success(presentFileInFull(shown)))
    },
  )
}
