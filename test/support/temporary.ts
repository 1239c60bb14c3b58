// Chooses the folder for the databases and temporary files of a test run.
import { readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
/** Several times the size of a whole run's files. */
const ENOUGH_BYTES = 4 * 1024 ** 3

/**
 * TMPDIR if set, else memory where there is plenty, else the system's folder. A run makes and
 * removes hundreds of databases of over 600 files each: ext4 without a journal searches all inodes
 * freed in the last minute for each new file.
 */
export async function findTemporary(): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir()
  const system = await statfs(IN_MEMORY).catch(() => undefined)
  const free = system === undefined ? 0 : system.bavail * system.bsize
  const enough = free >= ENOUGH_BYTES && process.availableMemory() >= 2 * ENOUGH_BYTES
  return enough && (await runsPrograms(IN_MEMORY)) ? IN_MEMORY : tmpdir()
}

/**
 * Whether files in the folder can be executed, as tests need: containers often mount memory with
 * `noexec`.
 */
async function runsPrograms(folder: string): Promise<boolean> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  const own = mounts.split('\n').find(line => line.split(' ')[1] === folder)
  return own !== undefined && !own.split(' ')[3]?.split(',').includes('noexec')
}
