// Where a run of tests keeps its databases and its temporary files.
import { readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
/** What the files of a whole run take at most, several times over. */
const ENOUGH_BYTES = 4 * 1024 ** 3

/**
 * Memory, where there is plenty, unless TMPDIR says otherwise. Each of hundreds of databases is over 600
 * files, made and removed: ext4 without a journal looks for an inode among all that were freed in the
 * last minute.
 */
export async function findTemporary(): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir()
  const system = await statfs(IN_MEMORY).catch(() => undefined)
  const free = system === undefined ? 0 : system.bavail * system.bsize
  const enough = free >= ENOUGH_BYTES && process.availableMemory() >= 2 * ENOUGH_BYTES
  return enough && (await runsPrograms(IN_MEMORY)) ? IN_MEMORY : tmpdir()
}

/** Tests write programs and have them run; containers often mount memory without that. */
async function runsPrograms(folder: string): Promise<boolean> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  const own = mounts.split('\n').find(line => line.split(' ')[1] === folder)
  return own !== undefined && !own.split(' ')[3]?.split(',').includes('noexec')
}
