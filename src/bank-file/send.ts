// Sends sealed files. Before each step it commits what the next start must know after a crash: that
// an upload has begun, and that the bank may have the file. The transaction that lets the bank see
// the file checks that its payments still wait.
import type { TransactionSql } from '../db/connect.ts'
import { during } from '../steps.ts'
import { deliver } from './deliver.ts'
import {
  approve,
  beginUpload,
  endUpload,
  listToSend,
  markOffered,
  noteStopped,
  type RailFile,
  readBytes,
  sendAgain,
  type Upload,
} from './file-store.ts'
import { listItemsOf } from './item-store.ts'
import type { OpenFileRail } from './open-rail.ts'
import { failureWords, NameTaken, type Transport, TransportFailed } from './transport.ts'
import { transactMany, whyNotSent } from './waiting.ts'

/**
 * How often a file is offered without a person, to a bank that takes each file once. Uploads that
 * were cut off before the file got its name do not count: nobody saw them.
 */
const MOST_OFFERS = 10

/** A file that must not go as it is. It stops no other file. */
class FileStopped extends TransportFailed {
  override readonly name = 'FileStopped'
}

/**
 * Sends the due files, one after the other. A fault of one file stops no other; a failing far end
 * ends the round.
 */
export async function sendDue(rail: OpenFileRail, transport: Transport): Promise<number> {
  let sent = 0
  const problems: string[] = []
  for (const file of await listToSend(rail.sql, rail.name)) {
    if (rail.isPaused()) break
    try {
      if (await send(rail, transport, file)) sent += 1
    } catch (error) {
      if (!(error instanceof FileStopped || error instanceof NameTaken)) throw error
      problems.push(failureWords(error))
    }
  }
  if (problems.length > 0) throw new TransportFailed(problems.join('; '))
  return sent
}

async function send(rail: OpenFileRail, transport: Transport, file: RailFile): Promise<boolean> {
  const { msg_id, name, state } = file
  if (state === 'sealed' && !(await approve(rail.sql, file, ''))) return false
  // A file that was offered is only looked for.
  const upload = await checked(rail, file, tx => beginUpload(tx, msg_id), file.offered_at !== null)
  if (upload === undefined) return false
  const { sent: bytes } = await readBytes(rail.sql, msg_id)
  const offered = upload.offered_at !== null
  const parcel = { name, upload: upload.uploads, bytes, offered }
  const delivery = await during('file', 'upload', 1, () =>
    deliver(transport, parcel, () => during('file', 'offer', 1, () => offer(rail, file, upload))),
  )
  if (delivery === 'unknown') return notThere(rail, file)
  await during('file', 'sent', 1, () => endUpload(rail.sql, msg_id, 'sent', ''))
  rail.log.info({ rail: rail.name, msg_id }, 'a file is sent')
  return true
}

/** Commits that the bank may have the file from here on. */
async function offer(rail: OpenFileRail, file: RailFile, { uploads }: Upload): Promise<void> {
  const is_ours = await checked(rail, file, tx => markOffered(tx, file.msg_id, uploads))
  if (!is_ours) throw new TransportFailed(`another process sends ${file.name}`)
}

/**
 * Does a step with a file whose payments still wait, or that a person or the caller vouches for.
 */
async function checked<T>(
  rail: OpenFileRail,
  file: RailFile,
  step: (tx: TransactionSql) => Promise<T>,
  vouched = false,
): Promise<T> {
  const { msg_id, forced } = file
  const is_free = forced || vouched
  const items = is_free ? [] : await listItemsOf(rail.finder, msg_id)
  const done = await transactMany(rail.sql, items, async tx => {
    const why = is_free ? undefined : await whyNotSent(tx, file, items)
    return why === undefined ? { of: await step(tx) } : { why }
  })
  if ('of' in done) return done.of
  await noteStopped(rail.sql, msg_id, done.why)
  throw new FileStopped(`file ${msg_id} is not sent: ${done.why}`)
}

/**
 * The file was about to get its name and is not there: either the bank has taken it, or nobody has.
 */
async function notThere(rail: OpenFileRail, file: RailFile): Promise<boolean> {
  const { msg_id, name } = file
  const may = file.resend_is_safe && file.offers < MOST_OFFERS
  const items = may ? await listItemsOf(rail.finder, msg_id) : []
  const why = may
    ? await transactMany(rail.sql, items, tx => whyNotSent(tx, file, items))
    : undefined
  const again = may && why === undefined
  const reason = again
    ? 'it may have arrived; sent again, as the bank takes a file once'
    : 'it may have arrived: ask the bank, or wait for its report' +
      (why === undefined ? '' : `; ${why}`)
  await endUpload(rail.sql, msg_id, 'unknown', reason)
  rail.log.error({ rail: rail.name, msg_id, name }, `a file is not at the bank: ${reason}`)
  return again && sendAgain(rail.sql, msg_id, reason)
}
