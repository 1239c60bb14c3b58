// Makes names in a folder durable: a new, changed or moved file has its name after a loss of power
// only once its folder is on the disk.
import { open } from 'node:fs/promises'

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
