// The bare Fastify as a process of its own. Knows no scenario.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Bare } from './bare-fastify.ts'
import { stopProcess } from './target.ts'

/** Works with it, at its address. */
export async function withBare<T>(bare: Bare, work: (address: string) => Promise<T>): Promise<T> {
  const program = join(import.meta.dirname, 'bare-fastify.ts')
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(bare))
  try {
    const [address] = await once(createInterface({ input: child.stdout }), 'line')
    return await work(address)
  } finally {
    await stopProcess(child)
  }
}
