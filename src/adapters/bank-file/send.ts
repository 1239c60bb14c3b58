// Sends sealed files. Before each step it commits what a restart after a crash must know: that an
// upload has begun, and that the bank may have the file. Each of these transactions checks that the
// file's payments still wait. The bank sees a whole file or nothing.
import type { TransactionSql } from '../../sql/connect.ts'
import { during } from '../../values/diagnostics.ts'
import type { OpenFileRail } from './config.ts'
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
import { writeMark } from './mark.ts'
import { failureWords, NameTaken, PARTIAL, type Transport, TransportFailed } from './transport.ts'
import { findStopReason, transactMany } from './waiting.ts'

/**
 * The most offers of a file without a person, to a bank that takes each file once. An upload that
 * ended before the rename is no offer: the bank did not see the file.
 */
const MOST_OFFERS = 10

/** A file that must not be sent. Other files are sent. */
class FileStopped extends TransportFailed {
  override readonly name = 'FileStopped'
}

/**
 * Sends the due files, one after the other; returns the number sent. A fault of one file stops no
 * other file. A failing far end ends the round.
 */
export async function sendDue(rail: OpenFileRail, transport: Transport): Promise<number> {
  let sent = 0
  const problems: string[] = []
  // A bank that takes no mark gets no file: nothing would tell that the database is an older copy.
  await writeMark(rail, transport)
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
  // A file that was offered is not sent again here, only looked for.
  const upload = await stepUnlessStopped(
    rail,
    file,
    tx => beginUpload(tx, msg_id),
    file.offered_at !== null,
  )
  if (upload === undefined) return false
  const { sent: bytes } = await readBytes(rail.sql, msg_id)
  const offered = upload.offered_at !== null
  const outgoing = { name, upload: upload.uploads, bytes, offered }
  const delivery = await during('file', 'upload', 1, () =>
    deliver(transport, outgoing, () =>
      during('file', 'offer', 1, async () => {
        await offer(rail, file, upload)
        await writeMark(rail, transport)
      }),
    ),
  )
  if (delivery === 'unknown') return handleMissing(rail, file)
  await during('file', 'sent', 1, () => endUpload(rail.sql, msg_id, 'sent', ''))
  rail.log.info({ rail: rail.name, msg_id }, 'a file is sent')
  return true
}

/** Commits that the bank may have the file from now on. */
async function offer(rail: OpenFileRail, file: RailFile, { uploads }: Upload): Promise<void> {
  const is_ours = await stepUnlessStopped(rail, file, tx => markOffered(tx, file.msg_id, uploads))
  if (!is_ours) throw new TransportFailed(`another process sends ${file.name}`)
}

/**
 * Does a step with a file, in a transaction that checks that its payments still wait. Throws
 * FileStopped when they do not. Skips the check for a forced file, and with `skip_check`.
 */
async function stepUnlessStopped<T>(
  rail: OpenFileRail,
  file: RailFile,
  step: (tx: TransactionSql) => Promise<T>,
  skip_check = false,
): Promise<T> {
  const { msg_id, forced } = file
  const is_unchecked = forced || skip_check
  const items = is_unchecked ? [] : await listItemsOf(rail.finder, msg_id)
  const outcome = await transactMany(rail.sql, items, async tx => {
    const stopped = is_unchecked ? undefined : await findStopReason(tx, file, items)
    return stopped === undefined ? { result: await step(tx) } : { stopped }
  })
  if ('result' in outcome) return outcome.result
  await noteStopped(rail.sql, msg_id, outcome.stopped)
  throw new FileStopped(`file ${msg_id} is not sent: ${outcome.stopped}`)
}

/**
 * Handles an offered file that is not in the outbox: the bank has taken it, or the rename failed.
 * Returns whether the file is sent again.
 */
async function handleMissing(rail: OpenFileRail, file: RailFile): Promise<boolean> {
  const { msg_id, name } = file
  const may_resend = file.resend_is_safe && file.offers < MOST_OFFERS
  const items = may_resend ? await listItemsOf(rail.finder, msg_id) : []
  const stopped = may_resend
    ? await transactMany(rail.sql, items, tx => findStopReason(tx, file, items))
    : undefined
  const again = may_resend && stopped === undefined
  const reason = again
    ? 'it may have arrived; sent again, as the bank takes a file once'
    : 'it may have arrived: ask the bank, or wait for its report' +
      (stopped === undefined ? '' : `; ${stopped}`)
  await endUpload(rail.sql, msg_id, 'unknown', reason)
  rail.log.error({ rail: rail.name, msg_id, name }, `a file is not at the bank: ${reason}`)
  return again && sendAgain(rail.sql, msg_id, reason)
}

/** A file to send, and how far earlier uploads came. */
interface OutgoingFile {
  readonly name: string
  /** Counted from 1. Each upload writes a temporary file of its own. */
  readonly upload: number
  readonly bytes: Uint8Array
  /** Whether an earlier upload may have renamed the file, so that the bank may have it. */
  readonly offered: boolean
}

/** `sent`: the file is in the outbox. `unknown`: it was offered and is not there. */
export type Delivery = 'sent' | 'unknown'

/**
 * Writes NAME.1.tmp for upload 1, compares its size, and renames it. So of two processes that send
 * one file, each renames only its own bytes. Before the rename it awaits `offering`, which commits
 * that the file is offered: the next upload reads this. Throws NameTaken and TransportFailed.
 */
export async function deliver(
  transport: Transport,
  outgoing: OutgoingFile,
  offering: () => Promise<void>,
): Promise<Delivery> {
  const { name, upload, bytes, offered } = outgoing
  const size = await transport.sizeOf(name)
  if (size === bytes.length) return 'sent'
  if (size !== undefined) {
    throw new NameTaken(`${name} is there with ${size} bytes, and ours has ${bytes.length}`)
  }
  if (offered) return 'unknown'
  const partial = partialOf(name, upload)
  // An upload that was cut off may have left its temporary file.
  if (upload > 1) await transport.remove(partialOf(name, upload - 1))
  try {
    await transport.write(partial, bytes)
    const written = await transport.sizeOf(partial)
    if (written !== bytes.length) {
      throw new TransportFailed(`${partial} has ${written ?? 'no'} bytes of ${bytes.length}`)
    }
    await offering()
  } catch (error) {
    // No later upload uses this file, and half of it would stay in a full outbox.
    await transport.remove(partial).catch(() => {})
    throw error
  }
  await transport.rename(partial, name)
  return 'sent'
}

const partialOf = (name: string, upload: number) => `${name}.${upload}${PARTIAL}`
