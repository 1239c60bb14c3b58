// A person releases a file for a bank, or takes it back, only as the file was shown.
import { listItemsOf } from '../adapters/bank-file/item-store.ts'
import { releaseFile as sendFile, takeBackFile } from '../adapters/bank-file/resend.ts'
import { Closed } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import { writing } from './action.ts'
import { Force, Reason } from './request.ts'
import {
  Digest,
  digestOfFile,
  type FileInFull,
  FilePath,
  FileResponse,
  fileNamed,
  MessageId,
  presentFile,
} from './shown-file.ts'

const ReleaseRequest = Closed(
  { digest: Digest, force: Type.Optional(Force) },
  { title: 'ReleaseRequest' },
)

const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** A hash as people type it, or paste it from another program. */
const Typed = Type.String({ pattern: '^[0-9A-Fa-f]{64}$', examples: [HASH] })

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

export const releaseFile = writing({
  name: 'file release',
  path: '/v3/operator/bank_file/:id/release',
  operationId: 'releaseBankFile',
  summary: 'Release a sealed file as it was shown to you, so that it is sent.',
  description:
    'A file with payouts that have ended or have a later attempt is refused with 422 ' +
    '`likely_mistake`. Withdraw it, and its other payments go into the next file, or send ' +
    'the file as it is with `force`.',
  params: FilePath,
  body: ReleaseRequest,
  byPerson: true,
  asksPassword: true,
  response: FileResponse,
  refusals: ['approval_outdated', 'invalid_transition', 'likely_mistake'],
  run: ({ audit, operator, change }, { id: msg_id, force = false, ...shown }) =>
    change(async sql => {
      const asked = { ...shown, msg_id, force, person: operator.name }
      return presentFile(await release({ sql, audit }, asked))
    }),
  command: {
    members: Closed({ sha256: Typed, force: Type.Optional(Force) }),
    words: ({ msg_id, approved_by }) => `${msg_id}  released by ${approved_by}; it is sent now`,
    options: {
      sha256: 'the hash of the file that you have looked at',
      force: 'also when payouts in it have ended or have a later attempt',
    },
    help: `
Look at the file first: corridor file content prints it, corridor file show its
hash. Whoever releases it is CORRIDOR_USER, which must be set, as a log-in may
be several people's.

Example:
  corridor file release C1M7XPM2M0C6HKD4 \\
    --sha256 ${HASH}`,
  },
})

export const withdrawFile = writing({
  name: 'file withdraw',
  path: '/v3/operator/bank_file/:id/withdraw',
  operationId: 'withdrawBankFile',
  summary: 'Withdraw a file that the bank has never been offered.',
  description:
    'The payments of the file go into the next file, under their ids. Payments whose ' +
    'payout has ended are left out, and those that wait for a person go once they no ' +
    'longer wait.',
  params: FilePath,
  body: WithdrawRequest,
  byPerson: true,
  response: TakenBackResponse,
  refusals: ['approval_outdated', 'invalid_transition'],
  run: ({ audit, operator, change }, { id: msg_id, digest, reason }) =>
    change(sql =>
      takeBack({ sql, audit }, { msg_id, digest, note: `${operator.name}: ${reason}` }),
    ),
  command: {
    words: takenBackWords,
    options: { digest: 'of the file as it was shown to you, as --json shows it' },
    help: `
For a file that must not be sent as it is, and that the bank cannot have. Its
payments go into the next file, under their ids; those that wait for a person
go once they wait no more, and those that are over by now are left out.

Example:
  corridor file withdraw C1M7XPM2M0C6HKD4 \\
    --reason "One of them was cancelled"`,
  },
})

export function takenBackWords({ file, payments, left_out }: TakenBack): string {
  const go = payments === 1 ? 'payment goes' : 'payments go'
  const stay =
    left_out === 0 ? '' : `; ${left_out} stay here: over, accepted by the bank, or held by a person`
  return `${file}  ${payments} ${go} into the next file${stay}`
}

interface Connections {
  readonly sql: Sql
  /** Reads the items of all accounts. */
  readonly audit: Sql
}

/** As the person saw them: of the bytes, or of bytes and payments (`digestOfFile`). */
interface ShownHashes {
  readonly sha256?: string | undefined
  readonly digest?: string | undefined
}

interface Releasing extends ShownHashes {
  readonly msg_id: string
  readonly person: string
  /** Whether to release it even if payouts in it have ended or have a later attempt. */
  readonly force: boolean
}

async function release(
  { sql, audit }: Connections,
  { msg_id, person, force, ...shown }: Releasing,
) {
  const { file, items } = await asShown({ sql, audit }, msg_id, shown, 'released')
  if (file.state !== 'sealed') {
    throw refusal('invalid_transition', `file ${msg_id} is ${file.state}: it was released before`)
  }
  const fault = await sendFile(sql, file, { force, items, person })
  if (fault !== undefined) throw refusal(fault.reason, fault.message)
  return fileNamed(sql, msg_id)
}

interface TakingBack extends ShownHashes {
  readonly msg_id: string
  /** Who takes it back, and why. */
  readonly note: string
}

export interface TakenBack {
  readonly file: string
  readonly payments: number
  /** How many do not, as their payouts are over by now, or wait for a person. */
  readonly left_out: number
}

/** The file was never offered to the bank. Its payments go into the next file. */
async function takeBack(
  { sql, audit }: Connections,
  { msg_id, note, ...shown }: TakingBack,
): Promise<TakenBack> {
  const { file, items } = await asShown({ sql, audit }, msg_id, shown, 'taken back')
  if (items.length === 0) {
    throw refusal('invalid_transition', `file ${msg_id} has no payment any more`)
  }
  const done = await takeBackFile(sql, file, { note, items })
  if ('fault' in done) throw refusal('invalid_transition', done.fault)
  return { file: msg_id, payments: done.count, left_out: items.length - done.count }
}

/** Refuses (409) a file that has changed since it was shown. */
async function asShown(
  { sql, audit }: Connections,
  msg_id: string,
  { sha256, digest }: ShownHashes,
  act: string,
): Promise<FileInFull> {
  const items = await listItemsOf(audit, msg_id)
  const file = await fileNamed(sql, msg_id)
  const present = { file, items }
  const isUnchanged =
    (sha256 === undefined || sha256.toLowerCase() === file.sha256) &&
    (digest === undefined || digest === digestOfFile(present))
  if (isUnchanged) return present
  const message = `file ${file.msg_id} has another hash: nothing was ${act}; look at it`
  throw refusal('approval_outdated', message)
}
