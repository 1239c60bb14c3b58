// What the soak sees of a running process and of its database.
import { readdir } from 'node:fs/promises'
import { memoryMib } from '../../bench/cpu.ts'
import type { Scene } from './scene.ts'

export interface Sample {
  readonly at_s: number
  readonly rss_mib: number
  /** Open files and connections. */
  readonly files: number
}

export async function sampleOf(pid: number, at_s: number): Promise<Sample> {
  const files = (await readdir(`/proc/${pid}/fd`)).length
  return { at_s, files, rss_mib: await memoryMib(pid) }
}

/** Sessions of the service at the primary. */
export async function countSessions({ replicas }: Scene): Promise<number> {
  const [row] = await replicas.on(
    'a',
    sql => sql<{ n: number }[]>`
      select count(*)::integer as n from pg_stat_activity where application_name = 'corridor'`,
  )
  return row?.n ?? Number.NaN
}
