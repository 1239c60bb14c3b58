// Lists and shows the files for banks, and lists the files of banks that are not read.
import {
  FILE_STATES,
  findFile,
  listFiles,
  type RailFile,
  readBytes,
} from '../adapters/bank-file/file-store.ts'
import { findInboxFiles, type InboxFile, listUnapplied } from '../adapters/bank-file/inbox-store.ts'
import { Closed, Literals, optional, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { invalidParameter, refuseIfAny } from '../values/errors.ts'
import { currencyExponent } from '../values/money/currency.ts'
import { parseMajor } from '../values/money/decimal.ts'
import { moneyWords } from '../values/money/words.ts'
import { toSecond } from '../values/text/age.ts'
import { type ActionGroup, paging, reading } from './action.ts'
import { releaseFile, withdrawFile } from './file-decisions.ts'
import { LimitText } from './request.ts'
import {
  FILE,
  FileInFullResponse,
  FilePath,
  FileResponse,
  fileNamed,
  MessageId,
  presentFile,
  presentFileInFull,
  Sha256,
  showFile,
} from './shown-file.ts'

const ContentResponse = Type.Object(
  {
    msg_id: MessageId,
    sha256: Type.String({ description: 'SHA-256 of the content in UTF-8, in hex.' }),
    content: Type.String({ description: 'The file, byte for byte; empty when it was erased.' }),
  },
  { title: 'BankFileContent', description: 'The content of a file, as the bank reads it.' },
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

const ID = 'C1M7XPM2M0C6HKD4'

const list = paging({
  name: 'file list',
  path: '/v3/operator/bank_file',
  operationId: 'listBankFiles',
  summary: 'List the files for banks, newest first.',
  query: FilesQuery,
  response: FileResponse,
  async find(audit, { starting_after, rail, state }, limit) {
    const after = starting_after && (await findFile(audit, starting_after))
    const isKnown = starting_after === undefined || after !== undefined
    refuseIfAny(isKnown ? [] : [invalidParameter('starting_after', 'It names no file.')])
    return listFiles(audit, { rail, state, starting_after, limit: limit + 1 })
  },
  present: presentFile,
  command: {
    words: ({ rows }) =>
      rows.map(file => ({
        file: file.msg_id,
        rail: file.rail,
        state: file.needs_release && file.state === 'sealed' ? 'to be released' : file.state,
        payments: file.item_count.toString(),
        sum: sumWords(file),
        day: file.execution_date,
        sealed: toSecond(file.sealed_at),
      })),
    json: ({ rows }) => ({ results: rows.map(presentFile) }),
    none: 'no file',
    help: '\nExample:\n  corridor file list --state sealed',
  },
})

const show = reading({
  name: 'file show',
  path: '/v3/operator/bank_file/:id',
  operationId: 'getBankFile',
  summary: 'Show a file for a bank and the payments in it.',
  description: 'The bytes of the file are at `/content`.',
  params: FilePath,
  response: FileInFullResponse,
  find: async (audit, { id }) => presentFileInFull(await showFile(audit, id)),
  command: {
    words({ payments, digest: _, ...file }) {
      const rows = payments.map(({ payout, end_to_end_id, amount, currency }) => ({
        payout,
        'end to end id': end_to_end_id,
        amount: moneyWords(BigInt(amount), currency),
      }))
      return { parts: [{ outline: file }, '', { rows }] }
    },
    help: `\nExample:\n  corridor file show ${ID}`,
  },
})

const content = reading({
  name: 'file content',
  path: '/v3/operator/bank_file/:id/content',
  operationId: 'getBankFileContent',
  summary: 'Show a file as its bank reads it.',
  description: 'The file names the payees. Look at it before you release it.',
  params: FilePath,
  response: ContentResponse,
  find: (audit, { id }) => showContent(audit, id),
  command: {
    words: ({ content }) => ({ exact: content }),
    help: `
Prints the file byte for byte, and nothing else.

Example:
  corridor file content ${ID} | sha256sum`,
  },
})

const listUnread = paging({
  name: 'file unread',
  path: '/v3/operator/unread_file',
  operationId: 'listUnreadFiles',
  summary: 'List the files of banks of which nothing is applied, newest first.',
  description:
    'A file that is not read yet, or one in quarantine that nobody has closed. While it lies ' +
    'there, the silence of its bank proves nothing.',
  query: Closed(
    optional({ limit: LimitText, starting_after: Sha256, rail: FilesQuery.properties.rail }),
  ),
  response: UnreadFileResponse,
  async find(audit, { starting_after: after, rail }, limit) {
    const found = after === undefined ? [undefined] : await findInboxFiles(audit, after)
    refuseIfAny(found.length > 0 ? [] : [invalidParameter('starting_after', 'It names no file.')])
    return listUnapplied(audit, { rail, after, limit: limit + 1 })
  },
  present: presentUnread,
})

export const files: ActionGroup = {
  actions: [list, show, content, listUnread, releaseFile, withdrawFile],
}

function sumWords({ currency, control_sum }: RailFile): string {
  const amount = parseMajor(control_sum, currencyExponent(currency))
  return amount === undefined ? `${currency} ${control_sum}` : moneyWords(amount, currency)
}

function presentUnread({ sha256, rail, name, size, received_at, state, reason }: InboxFile) {
  return { sha256, rail, name, bytes: Number(size), received_at, state, reason }
}

/** Empty after an erasure. `sha256` is of the bytes when sealed. */
async function showContent(audit: Sql, msg_id: string) {
  const { sha256 } = await fileNamed(audit, msg_id)
  const { bytes } = await readBytes(audit, msg_id)
  return { msg_id, sha256, content: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
}
