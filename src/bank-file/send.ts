// Sends sealed files. What is to be known after a crash is committed before each step: that an
// upload has begun, and that the bank may have the file.
import { during } from '../steps.ts'
import { deliver } from './deliver.ts'
import {
  approve,
  beginUpload,
  endUpload,
  listToSend,
  markOffered,
  type RailFile,
  readBytes,
  sendAgain,
} from './file-store.ts'
import { listItemsOf } from './item-store.ts'
import type { OpenFileRail } from './open-rail.ts'
import { type Transport, TransportFailed } from './transport.ts'
import { namesOf, notToBePaid } from './waiting.ts'

/** How often a file goes again by itself, to a bank that takes each once. */
const MOST_UPLOADS = 5

/** Sends what is due, one file after the other; the first failure ends the round. */
export async function sendDue(rail: OpenFileRail, transport: Transport): Promise<number> {
  let sent = 0
  for (const file of await listToSend(rail.sql, rail.name)) {
    if (rail.isPaused()) break
    if (await send(rail, transport, file)) sent += 1
  }
  return sent
}

async function send(rail: OpenFileRail, transport: Transport, file: RailFile): Promise<boolean> {
  const { msg_id, name, state } = file
  if (state === 'sealed' && !(await approve(rail.sql, file, ''))) return false
  const upload = await beginUpload(rail.sql, msg_id)
  if (upload === undefined) return false
  const { sent: bytes } = await readBytes(rail.sql, msg_id)
  const offered = upload.offered_at !== null
  const offering = () =>
    during('file', 'offer', 1, async () => {
      if (await markOffered(rail.sql, msg_id, upload.uploads)) return
      throw new TransportFailed(`another process sends ${name}`)
    })
  const delivery = await during('file', 'upload', 1, () =>
    deliver(transport, { name, bytes, offered }, offering),
  )
  if (delivery === 'unknown') return notThere(rail, file, upload.uploads)
  await during('file', 'sent', 1, () => endUpload(rail.sql, msg_id, 'sent', ''))
  rail.log.info({ rail: rail.name, msg_id }, 'a file is sent')
  return true
}

/** It was about to get its name, and is not there: the bank has it, or nobody has. */
async function notThere(rail: OpenFileRail, file: RailFile, uploads: number): Promise<boolean> {
  const { msg_id, name } = file
  const may = file.resend_is_safe && uploads < MOST_UPLOADS
  const over = may ? await notToBePaid(rail.sql, await listItemsOf(rail.finder, msg_id)) : []
  const again = may && over.length === 0
  const reason = again
    ? 'it may have arrived; sent again, as the bank takes a file once'
    : 'it may have arrived: ask the bank, or wait for its report' +
      (over.length === 0 ? '' : `; these are over, or go another way: ${namesOf(over)}`)
  await endUpload(rail.sql, msg_id, 'unknown', reason)
  rail.log.error({ rail: rail.name, msg_id, name }, `a file is not at the bank: ${reason}`)
  return again && sendAgain(rail.sql, msg_id, reason)
}
