// Whether something of a bank lies unread, so that its silence proves nothing: a file in
// quarantine, a line that is set aside, or an inbox that cannot be read.
import { SERVICE } from '../../accounts/user/user.ts'
import { closeException } from '../../payouts/advance/wake-store.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import type { OpenFileRail } from './config.ts'
import { listInboxSharers } from './file-store.ts'
import {
  findExchange,
  findUnreadFiles,
  listSilenceExceptions,
  listUnreadLines,
  MOST_LINES,
  type UnreadLine,
} from './inbox-store.ts'
import { type FoundItem, findItems, itemName } from './item-store.ts'
import type { SilenceProof } from './silence.ts'
import { accountsOf } from './waiting.ts'

/** The facts about the bank's silence, for an item and the status of its payout. */
export type ProofOf = (item: FoundItem, status: string) => SilenceProof

/**
 * Reads the proofs of silence; undefined for a bank whose silence means nothing. Comes before the
 * read of the evidence, so that a file that is read in between shows in the evidence.
 */
export async function readProofs(
  { sql, name, config }: OpenFileRail,
  items: readonly FoundItem[],
): Promise<ProofOf | undefined> {
  if (config.profile.silent_after_days === null) return undefined
  const rails = (await listInboxSharers(sql, name)).map(({ rail }) => rail)
  const ids = items.map(({ end_to_end_id }) => end_to_end_id)
  const msg_ids = [...new Set(items.map(({ msg_id }) => msg_id).filter(Boolean))]
  const [{ fetched_at, problem }, files, lines] = await Promise.all([
    findExchange(sql, name),
    findUnreadFiles(sql, rails),
    listUnreadLines(sql, rails, ids, msg_ids),
  ])
  const quarantined = files.find(({ reason }) => reason !== '')
  const in_file =
    quarantined && `file ${quarantined.name} (${quarantined.hash}) is unread: ${quarantined.reason}`
  return (item, status) => ({
    is_counted: status === 'succeeded' || status === 'reversed',
    fetched_at,
    problem,
    unread: in_file ?? wordsOf(lineAbout(item, lines)),
    is_reading: files.some(({ reason }) => reason === ''),
  })
}

/** The line that may be about the payment: by its id, its file, or its amount alone. */
function lineAbout(item: FoundItem, lines: readonly UnreadLine[]): UnreadLine | undefined {
  // There may be more lines than were read.
  if (lines.length === MOST_LINES) return lines[0]
  return lines.find(({ payment, msg_id, amount }) => {
    if (payment !== '') return payment === item.end_to_end_id
    if (msg_id !== '') return msg_id === item.msg_id
    return amount === null || amount === item.amount
  })
}

function wordsOf(line: UnreadLine | undefined): string {
  if (line === undefined) return ''
  return `${line.position} of file ${line.name} (${line.hash}) is set aside`
}

/** The exceptions that one round closes. */
const CLOSED_AT_ONCE = 200

const CLOSING = { closed_by: SERVICE, note: 'What the bank has sent is read now.' } as const

/**
 * Closes the exceptions about the silence of a bank once nothing of it lies unread. The payouts are
 * asked again, and the silence counts or does not.
 */
export async function closeProved(rail: OpenFileRail): Promise<void> {
  const { sql, finder, name, config } = rail
  if (config.profile.silent_after_days === null) return
  const open = await listSilenceExceptions(finder, name, CLOSED_AT_ONCE)
  if (open.length === 0) return
  const items = await readConfined(sql, accountsOf(open), tx => findItems(tx, open))
  const proofOf = await readProofs(rail, items)
  const found = new Map(items.map(item => [itemName(item), item]))
  for (const { number, ...key } of open) {
    const item = found.get(itemName(key))
    const proof = item && proofOf?.(item, '')
    if (proof === undefined || proof.unread !== '' || proof.problem !== '') continue
    const { account_id, payout_id: id } = key
    await transactConfined(sql, [account_id], tx =>
      closeException(tx, { account_id, id }, { number, ...CLOSING }),
    )
  }
}
