// The command line as an operator runs it: a process of its own on a test's database, its exit code
// and both of its outputs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output as JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any output
  readonly json: any
}

export interface Cli {
  run(...args: readonly string[]): Promise<Ran>
  /** The same with this on standard input. */
  pipe(input: string, ...args: readonly string[]): Promise<Ran>
  /** A file with this in it; its path. */
  file(name: string, text: string): Promise<string>
  close(): Promise<void>
}

/** The command line on one database; `environment` is all it has besides PATH. */
export async function openCli(
  database_url: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Cli> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-cli-'))
  const { PATH = '' } = process.env
  const env = { PATH, DATABASE_URL: database_url, ...environment }
  const pipe = async (input: string, ...args: readonly string[]): Promise<Ran> => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    // A command that does not read its input may be gone before it is written.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const [code] = await once(child, 'close')
    return { code, stdout, stderr, json: parsed(stdout) }
  }
  return {
    pipe,
    run: (...args) => pipe('', ...args),
    async file(name, text) {
      const path = join(folder, name)
      await writeFile(path, text)
      return path
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
