// Reads processor time and memory of processes from /proc.
import { readdir, readFile } from 'node:fs/promises'

/** Ticks a second in /proc/PID/stat (USER_HZ): 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100

interface Process {
  readonly parent: number
  /** User and system time of the process itself. */
  readonly own_s: number
  /** User and system time of its children that have ended. */
  readonly ended_children_s: number
}

/** Processor time of a process, user and system, in seconds; 0 when it cannot be read. */
export async function cpuSeconds(pid: number): Promise<number> {
  return (await findProcess(pid))?.own_s ?? 0
}

/** Processor time of a PostgreSQL server: of its process and all its children, ended ones too. */
export async function cpuSecondsOfServer(pid: number): Promise<number> {
  const server = await findProcess(pid)
  if (server === undefined) return 0
  const names = await readdir('/proc')
  const all = await Promise.all(
    names
      .filter(name => /^\d+$/.test(name))
      .map(Number)
      .map(findProcess),
  )
  return all
    .filter(process => process?.parent === pid)
    .reduce((sum, process) => sum + (process?.own_s ?? 0), server.own_s + server.ended_children_s)
}

/** Resident memory of a process; NaN when it cannot be read. */
export function memoryMib(pid: number): Promise<number> {
  return readStatus(pid, /^VmRSS:\s+(\d+) kB$/m)
}

/** The peak resident memory of a process; NaN when it cannot be read. */
export function mostMemoryMib(pid: number): Promise<number> {
  return readStatus(pid, /^VmHWM:\s+(\d+) kB$/m)
}

async function readStatus(pid: number, line: RegExp): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(line.exec(status)?.[1] ?? Number.NaN) / 1024
}

export interface Cost {
  /** Seconds of processor time for 1,000 requests. */
  readonly service_cpu_s: number
  readonly database_cpu_s: number
}

/** Measures the processor time of the service's processes and of the database during a load. */
export async function withCost<Load extends { readonly requests: number }>(
  services: readonly number[],
  postgres_pid: number,
  load: () => Promise<Load>,
): Promise<Load & Cost> {
  const used = async () => {
    const each = await Promise.all(services.map(cpuSeconds))
    return {
      service: each.reduce((a, b) => a + b),
      database: await cpuSecondsOfServer(postgres_pid),
    }
  }
  const before = await used()
  const result = await load()
  const after = await used()
  return {
    ...result,
    service_cpu_s: ((after.service - before.service) / result.requests) * 1000,
    database_cpu_s: ((after.database - before.database) / result.requests) * 1000,
  }
}

async function findProcess(pid: number): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // Counts fields from the end of the name, which may contain spaces. proc(5) numbers ppid 4,
  // utime 14, stime 15, cutime 16 and cstime 17; the first field here is number 3.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const field = (number: number) => fields[number - 3] ?? 0
  return {
    parent: field(4),
    own_s: (field(14) + field(15)) / TICKS_PER_SECOND,
    ended_children_s: (field(16) + field(17)) / TICKS_PER_SECOND,
  }
}
