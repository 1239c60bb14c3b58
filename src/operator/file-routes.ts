// GET /v3/operator/unread_file, /v3/operator/bank_file, /v3/operator/bank_file/{id} and …/content,
// and POST …/release and …/withdraw.
import { FILE_STATES, findFile, listFiles } from '../bank-file/file-store.ts'
import { findInboxFiles, listUnapplied } from '../bank-file/inbox-store.ts'
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { Closed, Id, Literals, optional, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { operatorOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import {
  presentFile,
  presentFileInFull,
  presentUnread,
  release,
  showContent,
  showFile,
  takeBack,
} from './files.ts'
import { AccountId, checkWords, Force, LimitText, Reason } from './request.ts'

/** The id by which the bank knows the file. */
const MessageId = Type.String({
  pattern: '^C[0-9A-HJKMNP-TV-Z]{15}$',
  description: 'The message id of the file.',
  examples: ['C1M7XPM2M0C6HKD4'],
})

const FilePath = Type.Object({ id: MessageId })

const timeOrNull = Type.Union([Timestamp, Type.Null()])

const FILE = {
  msg_id: MessageId,
  name: Type.String({ description: 'The name of the file at the bank.' }),
  rail: Type.String(),
  format: Type.String({ examples: ['pain.001.001.09'] }),
  settlement_account: Type.String({ description: 'The account that the bank debits.' }),
  currency: Type.String(),
  execution_date: Type.String({ examples: ['2026-11-25'] }),
  item_count: Type.Integer(),
  control_sum: Type.String({ description: 'The sum of the payments, an exact decimal.' }),
  sha256: Type.String({
    description: 'SHA-256 of the bytes of the file, in hex, which `corridor file release` takes.',
  }),
  encrypted: Type.Boolean(),
  sealed_at: Timestamp,
  needs_release: Type.Boolean({
    description: 'Whether a person must release the file before it is sent.',
  }),
  resend_is_safe: Type.Boolean({ description: 'Whether the bank takes each file only once.' }),
  approved_by: Type.String({ description: 'Who has released the file; empty if nobody has.' }),
  approved_at: timeOrNull,
  state: Literals(FILE_STATES),
  reason: Type.String({ description: 'What the bank or a person has said about the file.' }),
  offered_at: timeOrNull,
  offers: Type.Integer({
    description:
      'How often the file was offered to the bank. After the first time, the bank may have it.',
  }),
  forced: Type.Boolean({ description: 'Whether it is sent although payouts in it have ended.' }),
  sent_at: timeOrNull,
  uploads: Type.Integer(),
  updated_at: Timestamp,
  bytes: Type.Integer({ description: 'The size of the file in bytes.' }),
}

export const FileResponse = Type.Object(FILE, {
  title: 'BankFile',
  description: 'A file for a bank.',
})

const Digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'The `digest` of the file, as it was shown to you.',
})

export const FileInFullResponse = Type.Object(
  {
    ...FILE,
    digest: Type.String({
      description:
        'SHA-256 of the bytes and the payments, in hex, which a release or a withdrawal of ' +
        'the file takes.',
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
    sha256: Type.String({ description: 'SHA-256 of the content in UTF-8, in hex.' }),
    content: Type.String({ description: 'The file, byte for byte; empty when it was erased.' }),
  },
  { title: 'BankFileContent', description: 'The content of a file, as the bank reads it.' },
)

const ReleaseRequest = Closed(
  { digest: Digest, force: Type.Optional(Force) },
  { title: 'ReleaseRequest' },
)

const WithdrawRequest = Closed(
  { reason: Reason, digest: Type.Optional(Digest) },
  { title: 'WithdrawRequest' },
)

const TakenBackResponse = Type.Object(
  {
    file: MessageId,
    payments: Type.Integer({ description: 'How many payments go into the next file.' }),
    left_out: Type.Integer({
      description: 'How many payments are left out, because their payout has ended or waits.',
    }),
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

export function deskFileRoutes(routes: DeskRoutes): void {
  routes.page('/v3/operator/bank_file', {
    operationId: 'listBankFiles',
    summary: 'List the files for banks, newest first.',
    querystring: FilesQuery,
    item: FileResponse,
    async find({ starting_after, rail, state }, { audit }, limit) {
      const after = starting_after && (await findFile(audit, starting_after))
      const isKnown = starting_after === undefined || after !== undefined
      refuseIfAny(isKnown ? [] : [invalidParameter('starting_after', 'It names no file.')])
      return listFiles(audit, { rail, state, starting_after, limit: limit + 1 })
    },
    present: presentFile,
  })
  routes.read('/v3/operator/bank_file/:id', {
    operationId: 'getBankFile',
    summary: 'Show a file for a bank and the payments in it.',
    description: 'The bytes of the file are at `/content`.',
    params: FilePath,
    response: FileInFullResponse,
    answer: async ({ params }, { audit }) => presentFileInFull(await showFile(audit, params.id)),
  })
  routes.read('/v3/operator/bank_file/:id/content', {
    operationId: 'getBankFileContent',
    summary: 'Show a file as its bank reads it.',
    description: 'The file names the payees. Look at it before you release it.',
    params: FilePath,
    response: ContentResponse,
    answer: ({ params }, { audit }) => showContent(audit, params.id),
  })
  unreadRoute(routes)
  decisionRoutes(routes)
}

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the file.' })

export const UnreadFileResponse = Type.Object(
  {
    sha256: Sha256,
    rail: FILE.rail,
    name: Type.String({ description: 'The name that the bank gave the file.' }),
    bytes: Type.Integer(),
    received_at: Timestamp,
    state: Literals(['stored', 'quarantined'] as const, {
      description: '`stored`: not read yet. `quarantined`: it cannot be read.',
    }),
    reason: Type.String({ description: 'Why it is in quarantine; empty for `stored`.' }),
  },
  { title: 'UnreadFile', description: 'A file of a bank of which nothing is applied.' },
)

function unreadRoute(routes: DeskRoutes): void {
  routes.page('/v3/operator/unread_file', {
    operationId: 'listUnreadFiles',
    summary: 'List the files of banks of which nothing is applied, newest first.',
    description:
      'A file that is not read yet, or one in quarantine that nobody has closed. While it lies ' +
      'there, the silence of its bank proves nothing.',
    querystring: Closed(
      optional({ limit: LimitText, starting_after: Sha256, rail: FilesQuery.properties.rail }),
    ),
    item: UnreadFileResponse,
    async find({ starting_after: after, rail }, { audit }, limit) {
      const found = after === undefined ? [undefined] : await findInboxFiles(audit, after)
      refuseIfAny(found.length > 0 ? [] : [invalidParameter('starting_after', 'It names no file.')])
      return listUnapplied(audit, { rail, after, limit: limit + 1 })
    },
    present: presentUnread,
  })
}

function decisionRoutes(routes: DeskRoutes): void {
  routes.change('/v3/operator/bank_file/:id/release', {
    act: 'file release',
    config: { asksPassword: true },
    operationId: 'releaseBankFile',
    summary: 'Release a sealed file as it was shown to you, so that it is sent.',
    description:
      'A file with payouts that have ended or have a later attempt is refused with 422 ' +
      '`likely_slip`. Withdraw it, and its other payments go into the next file, or send ' +
      'the file as it is with `force`.',
    params: FilePath,
    body: ReleaseRequest,
    response: FileResponse,
    refusals: ['approval_outdated', 'invalid_transition', 'likely_slip'],
    async change(sql, request, { audit }) {
      const { digest, force = false } = request.body
      const person = operatorOf(request).name
      const asked = { msg_id: request.params.id, digest, force, person }
      return presentFile(await release({ sql, audit }, asked))
    },
  })
  routes.change('/v3/operator/bank_file/:id/withdraw', {
    act: 'file withdraw',
    config: { check: checkWords },
    operationId: 'withdrawBankFile',
    summary: 'Withdraw a file that the bank has never been offered.',
    description:
      'The payments of the file go into the next file, under their ids. Payments whose ' +
      'payout has ended are left out, and those that wait for a person go once they no ' +
      'longer wait.',
    params: FilePath,
    body: WithdrawRequest,
    response: TakenBackResponse,
    refusals: ['approval_outdated', 'invalid_transition'],
    change(sql, request, { audit }) {
      const { digest, reason } = request.body
      const note = `${operatorOf(request).name}: ${reason}`
      return takeBack({ sql, audit }, { msg_id: request.params.id, digest, note })
    },
  })
}
