// Puts one file into a bank's outbox. The bank sees the whole file or nothing, even after a crash.
// A file that the bank may have taken is not put there again.
import { NameTaken, PARTIAL, type Transport, TransportFailed } from './transport.ts'

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
