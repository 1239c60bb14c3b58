// corridor openapi: the interface's document and the table of errors, printed, written or checked.
// Needs no database: routes are described without being called.
import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { pino } from 'pino'
import { buildApp } from '../app.ts'
import type { Deps } from '../deps.ts'
import { errorsPage } from '../http/error-docs.ts'
import { documentText } from '../http/openapi.ts'
import { UsageError } from './context.ts'

interface GeneratedFile {
  /** From the project's folder. */
  readonly path: string
  readonly text: string
}

export function openapiCommand(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document of the interface')
    .option('--write', 'write openapi.json and docs/errors.md instead')
    .option('--check', 'fail when openapi.json or docs/errors.md is not up to date')
    .option('--json', 'print JSON, which the document is anyway')
    .addHelpText('after', '\nExample:\n  npx corridor openapi > openapi.json')
    .action(async (options: { write?: boolean; check?: boolean }) => {
      if (options.write === true && options.check === true) {
        throw new UsageError('--write and --check exclude each other')
      }
      const files = await generateFiles()
      if (options.write === true) await writeFiles(files)
      else if (options.check === true) await checkFiles(files)
      else process.stdout.write(files[0].text)
    })
}

async function generateFiles(): Promise<[GeneratedFile, ...GeneratedFile[]]> {
  const app = await buildApp(describedOnly())
  await app.ready()
  try {
    return [
      { path: 'openapi.json', text: documentText(app) },
      { path: 'docs/errors.md', text: errorsPage() },
    ]
  } finally {
    await app.close()
  }
}

/** What an application is made of that answers nothing: anything but its log throws when used. */
export function describedOnly(): Deps {
  const log = pino({ level: 'silent' })
  return new Proxy({ log } as unknown as Deps, {
    get(target, name) {
      if (name === 'log') return target.log
      throw new Error(`routes must not use deps.${String(name)} while they are being added`)
    },
  })
}

async function writeFiles(files: readonly GeneratedFile[]): Promise<void> {
  for (const { path, text } of files) {
    await writeFile(locate(path), text)
    process.stdout.write(`${path} written\n`)
  }
}

async function checkFiles(files: readonly GeneratedFile[]): Promise<void> {
  const stale: string[] = []
  for (const { path, text } of files) {
    const present = await readFile(locate(path), 'utf8').catch(() => '')
    if (present !== text) stale.push(path)
  }
  if (stale.length === 0) return
  const what = stale.length === 1 ? `${stale[0]} is` : `${stale.join(' and ')} are`
  process.stderr.write(`corridor: ${what} not up to date; run: corridor openapi --write\n`)
  process.exitCode = 1
}

function locate(path: string): URL {
  return new URL(`../../${path}`, import.meta.url)
}
