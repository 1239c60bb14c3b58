// The mark that a rail leaves at the bank: how many times it has offered a file. A database with
// fewer offers is an older copy, such as a restored snapshot: it would pay again what the bank has.
import { updatePause } from '../../rails/row-store.ts'
import type { OpenFileRail } from './config.ts'
import { findOffers, noteOffersLost } from './file-store.ts'
import { type Transport, TransportFailed } from './transport.ts'

/** The bank has offers of which this database knows nothing. The rail is paused. */
export class DatabaseOlder extends TransportFailed {
  override readonly name = 'DatabaseOlder'
}

/** Two notes, written in turn: a crash spoils one of them. */
const SLOTS = 2

const nameOf = (rail: string, lineage: string, offers: number) =>
  `.corridor-${rail}-${lineage.slice(0, 8)}.${offers % SLOTS}`

const textOf = (lineage: string, offers: number) => `corridor ${lineage} ${offers} offers\n`

async function readMark(transport: Transport, rail: string, lineage: string): Promise<number> {
  const notes: (string | undefined)[] = []
  for (let slot = 0; slot < SLOTS; slot++) {
    notes.push(await transport.readNote(nameOf(rail, lineage, slot)))
  }
  const counts = notes.map(note => {
    const [, of, count] = /^corridor ([0-9a-f]+) (\d{1,9}) offers\n$/.exec(note ?? '') ?? []
    return of === lineage ? Number(count) : 0
  })
  return Math.max(0, ...counts)
}

/**
 * Compares the mark with this database. If the mark has more offers, pauses the rail and throws
 * DatabaseOlder. Counts the lost offers, so that this happens once. After a restore, which has
 * paused the rail already, it only counts them.
 */
export async function compareMark(rail: OpenFileRail, transport: Transport): Promise<void> {
  const { sql, name, log } = rail
  const known = await findOffers(sql, name)
  if (known === undefined) return
  const lost = (await readMark(transport, name, known.lineage)) - known.offers
  if (lost <= 0) {
    if (known.restored) await noteOffersLost(sql, name, 0)
    return
  }
  const reason =
    `the bank was offered files ${lost} times of which this database knows nothing: it is an ` +
    'older copy. Compare its payouts with the bank: corridor rail unsent'
  if (!known.restored) await updatePause(sql, name, reason)
  await noteOffersLost(sql, name, lost)
  log.error({ rail: name, lost }, reason)
  if (!known.restored) throw new DatabaseOlder(reason)
}

/** Writes the mark: before the first offer, to see that it can be, and after each. */
export async function writeMark({ sql, name }: OpenFileRail, transport: Transport): Promise<void> {
  const known = await findOffers(sql, name)
  if (known === undefined) return
  const { lineage, offers } = known
  await transport.writeNote(nameOf(name, lineage, offers), textOf(lineage, offers))
}
