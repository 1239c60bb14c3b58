// Makes the names in a folder durable: after a loss of power a new, renamed or moved file has its
// name only if its folder was flushed to disk.
import { open } from 'node:fs/promises'

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
