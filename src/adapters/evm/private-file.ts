// Reads small files that hold secrets. No error repeats what a file holds.
import { open } from 'node:fs/promises'

const MAX_BYTES = 64 * 1024
/** The rights of everybody but the owner and the group. */
const OTHERS = 0o007

/**
 * The text of a file. Rejects when it cannot be read, is larger than 64 KiB, or when others than
 * its owner and group may use it.
 */
export async function readPrivateFile(what: string, path: string): Promise<string> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${what} "${path}" cannot be read: ${error.code}`)
  })
  try {
    const { mode, size } = await file.stat()
    if ((mode & OTHERS) !== 0) {
      throw new Error(`${what} "${path}" is open to others: run chmod o= on it`)
    }
    if (size > MAX_BYTES) throw new Error(`${what} "${path}" has more than ${MAX_BYTES} bytes`)
    // No more than the size: a device such as /dev/zero has no end.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The only line of such a file, such as a passphrase or a token. */
export async function readSecretLine(what: string, path: string): Promise<string> {
  const line = (await readPrivateFile(what, path)).replace(/\r?\n$/, '')
  if (line !== '' && !/[\r\n\0]/.test(line)) return line
  throw new Error(`${what} "${path}" must have one line, the secret`)
}
