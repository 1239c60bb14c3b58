// GET /v3/operator/bank_file, /v3/operator/bank_file/{id} and …/content, and POST …/release and
// …/withdraw.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { FILE_STATES, type FileState, findFile, listFiles } from '../bank-file/file-store.ts'
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Closed, Envelope, Id, Literals, optional, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { callOf, type OfDesk, operatorOf } from './desk.ts'
import {
  presentFile,
  presentFileInFull,
  release,
  showContent,
  showFile,
  takeBack,
} from './files.ts'
import {
  AccountId,
  checkLimit,
  checkWords,
  Force,
  LimitText,
  type Named,
  pageOf,
  type Query,
  Reason,
  readLimit,
} from './request.ts'

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

export const FileResponse = Type.Object(FILE, {
  title: 'BankFile',
  description: 'A file for a bank.',
})

const Digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Of what you were shown: `digest` of the file.',
})

export const FileInFullResponse = Type.Object(
  {
    ...FILE,
    digest: Type.String({
      description: 'Of the bytes and the payments, in hex: whoever releases the file names it.',
    }),
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

const ContentResponse = Type.Object(
  {
    msg_id: MessageId,
    sha256: Type.String({ description: 'Of the content in UTF-8, in hex.' }),
    content: Type.String({ description: 'The file, byte for byte; empty when it was erased.' }),
  },
  { title: 'BankFileContent', description: 'What the bank reads.' },
)

const ReleaseRequest = Closed(
  { digest: Digest, force: Type.Optional(Force) },
  { title: 'ReleaseRequest' },
)
type ReleaseRequest = Static<typeof ReleaseRequest>

const WithdrawRequest = Closed(
  { reason: Reason, digest: Type.Optional(Digest) },
  { title: 'WithdrawRequest' },
)
type WithdrawRequest = Static<typeof WithdrawRequest>

const TakenBackResponse = Type.Object(
  {
    file: MessageId,
    payments: Type.Integer({ description: 'How many go into the next file.' }),
    left_out: Type.Integer({ description: 'Payouts that are over by now, or wait.' }),
  },
  { title: 'BankFileTakenBack' },
)

const FilesQuery = Closed(
  optional({
    limit: LimitText,
    starting_after: MessageId,
    rail: Type.String({
      pattern: '^[a-z][a-z0-9_-]{0,39}$',
      description: 'Only files of this rail.',
    }),
    state: Literals(FILE_STATES, { description: 'Only files in this state.' }),
  }),
)

export function deskFileRoutes(app: FastifyInstance, deps: OfDesk): void {
  listRoute(app, deps)
  getRoute(app, deps)
  contentRoute(app, deps)
  releaseRoute(app, deps)
  withdrawRoute(app, deps)
}

function listRoute(app: FastifyInstance, deps: OfDesk): void {
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
      const query = { rail, state, starting_after, limit: limit + 1 }
      const files = await listFiles(deps.desk.audit, query)
      return sendList(request, reply, success(pageOf(files, limit, presentFile)))
    },
  )
}

function getRoute(app: FastifyInstance, deps: OfDesk): void {
  app.get<Named>(
    '/v3/operator/bank_file/:id',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'getBankFile',
        summary: 'Show a file for a bank and the payments in it.',
        description: 'Its bytes are at `/content`.',
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

function contentRoute(app: FastifyInstance, deps: OfDesk): void {
  app.get<Named>(
    '/v3/operator/bank_file/:id/content',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'getBankFileContent',
        summary: 'Show a file as its bank reads it.',
        description: 'It names who is paid. Look at it before you release the file.',
        params: FilePath,
        response: Envelope(ContentResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) =>
      send(reply, success(await showContent(deps.desk.audit, request.params.id))),
  )
}

function releaseRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named & { Body: ReleaseRequest }>(
    '/v3/operator/bank_file/:id/release',
    {
      config: { scope: 'installation_write', asksPassword: true },
      schema: operationDocs({
        operationId: 'releaseBankFile',
        summary: 'Release a sealed file as it was shown to you, so that it is sent.',
        description:
          'A file in which payouts are over or go another way is 422 `likely_slip`: withdraw it, ' +
          'and the others go into the next file, or send it as it is by `force`.',
        params: FilePath,
        body: ReleaseRequest,
        response: Envelope(FileResponse),
        idempotent: true,
        refusals: ['not_found', 'approval_outdated', 'invalid_transition', 'likely_slip'],
      }),
    },
    async (request, reply) => {
      const { id: msg_id } = request.params
      const { digest, force = false } = request.body
      const { audit } = deps.desk
      const call = callOf(request, 'file release')
      const person = operatorOf(request).name
      const answer = await deps.desk.changeOnce(call, async sql =>
        presentFile(await release({ sql, audit }, { msg_id, digest, force, person })),
      )
      return send(reply, answer)
    },
  )
}

function withdrawRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named & { Body: WithdrawRequest }>(
    '/v3/operator/bank_file/:id/withdraw',
    {
      config: { scope: 'installation_write', check: checkWords },
      schema: operationDocs({
        operationId: 'withdrawBankFile',
        summary: 'Take back a file that the bank has never been offered.',
        description:
          'Its payments go into the next file, under their ids; those that are over by now are ' +
          'left out, and those that wait for a person go once they wait no more.',
        params: FilePath,
        body: WithdrawRequest,
        response: Envelope(TakenBackResponse),
        idempotent: true,
        refusals: ['not_found', 'approval_outdated', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { id: msg_id } = request.params
      const { digest, reason } = request.body
      const { audit } = deps.desk
      const call = callOf(request, 'file withdraw')
      const note = `${operatorOf(request).name}: ${reason}`
      const answer = await deps.desk.changeOnce(call, async sql =>
        takeBack({ sql, audit }, { msg_id, digest, note }),
      )
      return send(reply, answer)
    },
  )
}
