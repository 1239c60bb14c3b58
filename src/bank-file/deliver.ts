// Puts one file into a bank's outbox. The bank sees the whole file or nothing, even after a crash,
// and never gets again what it may have taken already.
import { NameTaken, PARTIAL, type Transport, TransportFailed } from './transport.ts'

/** A file to send, and how far an earlier try came. */
interface Parcel {
  readonly name: string
  /** Counted from 1. Each upload writes under a name of its own. */
  readonly upload: number
  readonly bytes: Uint8Array
  /** Whether an earlier try may have given the file its name, so that the bank may have it. */
  readonly offered: boolean
}

/**
 * `sent`: the file is in the outbox. `unknown`: the file was offered and is gone; perhaps the bank
 * has taken it.
 */
export type Delivery = 'sent' | 'unknown'

/**
 * Writes NAME.1.tmp, where 1 is the number of the upload, compares its size, and renames it. Two
 * processes that both send one file therefore rename only what they wrote themselves. Before the
 * rename it awaits `offering`, which commits that the file is offered; the next try reads this.
 */
export async function deliver(
  transport: Transport,
  parcel: Parcel,
  offering: () => Promise<void>,
): Promise<Delivery> {
  const { name, upload, bytes, offered } = parcel
  const there = await transport.sizeOf(name)
  if (there === bytes.length) return 'sent'
  if (there !== undefined) {
    throw new NameTaken(`${name} is there with ${there} bytes, and ours has ${bytes.length}`)
  }
  if (offered) return 'unknown'
  const partial = partialOf(name, upload)
  // An earlier try of ours has left it and could not remove it.
  if (upload > 1) await transport.remove(partialOf(name, upload - 1))
  try {
    await transport.write(partial, bytes)
    const written = await transport.sizeOf(partial)
    if (written !== bytes.length) {
      throw new TransportFailed(`${partial} has ${written ?? 'no'} bytes of ${bytes.length}`)
    }
    await offering()
  } catch (error) {
    // No later try renames it. Without this, half a file would stay in a full outbox.
    await transport.remove(partial).catch(() => {})
    throw error
  }
  await transport.rename(partial, name)
  return 'sent'
}

const partialOf = (name: string, upload: number) => `${name}.${upload}${PARTIAL}`
