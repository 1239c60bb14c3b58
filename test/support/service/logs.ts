// Keeps the logs (at level trace), metrics and traces of all tests' services until the end of the
// run, and then searches them for secrets and personal data. `npm test` names the folder.
import type { ChildProcess } from 'node:child_process'
import { openSync, writeSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { makeLog } from '../../../src/values/log.ts'
import { bankBeneficiary, fullEntity, plainEntity } from '../given/bodies.ts'

const folder = process.env.CORRIDOR_TEST_LOGS

/**
 * The log of a service in the test's own process; `faults` gets its lines of level error and fatal.
 */
export function serviceLog(faults: string[] = []): FastifyBaseLogger {
  return makeLog('trace', {
    write(text) {
      keep('log', text)
      if (/^\{"level":[56]0\b/.test(text)) faults.push(text)
    },
  })
}

export function keepMetrics(text: string): void {
  keep('metrics', text)
}

/** Keeps the body of a request to a trace collector. */
export function keepTraces(body: string): void {
  keep('traces', `${body}\n`)
}

/** Keeps both outputs of a service process. */
export function keepOutput({ pid, stdout, stderr }: ChildProcess): void {
  stdout?.on('data', (bytes: Buffer) => keep('log', bytes, pid))
  stderr?.on('data', (bytes: Buffer) => keep('errors', bytes, pid))
}

/** The open files of this process: opening one for each line would be slow. */
const files = new Map<string, number>()

/** Writes at once, because the test process may be killed. */
function keep(kind: string, text: string | Buffer, pid = 0): void {
  if (folder === undefined) return
  const path = join(folder, `${process.pid}-${pid}.${kind}`)
  const file = files.get(path) ?? openSync(path, 'a')
  files.set(path, file)
  writeSync(file, text as string)
}

const { bank } = bankBeneficiary.destination_details
const [representative] = fullEntity.representatives
const [document] = fullEntity.documents

/** Personal data that tests send. */
export const PRIVATE_TEXTS: readonly string[] = [
  bankBeneficiary.name,
  bank.account_number,
  bank.bank_name,
  fullEntity.email,
  fullEntity.phone.number,
  fullEntity.registration_number,
  fullEntity.registration_address.line1,
  fullEntity.operating_address.line1,
  fullEntity.purpose_of_use,
  representative?.email ?? '',
  document?.url ?? '',
  plainEntity.name,
]

/** Patterns of secrets and personal data. */
const PRIVATE_FORMS: readonly (readonly [what: string, form: RegExp])[] = [
  ['secret of an API key', /corridor_(live|test)_[\w-]{40}/],
  ['secret of a user', /corridor_(user|session|device|login)_[\w-]{40}/],
  ['secret of a webhook endpoint', /whsec_[\w+/-]{20}/],
  // base64 of "key_".
  ['credentials', /a2V5X[\w+/]{20}/],
  ['header with credentials', /authorization"|\bBasic [\w+/]{12}/i],
  ['password in a URL', /postgres(ql)?:\/\/[^\s:/@"]*:[^\s@"]+@/],
  ['e-mail address', /[\w.+-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}/i],
  ['IBAN', /\b[A-Z]{2}\d{2}(?=[A-Z\d]*\d{4})[A-Z\d]{11,30}\b/],
]

/** The id of a request; by chance it has the few digits of a private text. */
const RANDOM_ID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g

/** Texts as they are, and as JSON has them. */
function formsOf(texts: readonly string[]): string[] {
  const forms = texts.flatMap(text => [text, JSON.stringify(text).slice(1, -1)])
  return [...new Set(forms)].filter(form => form !== '')
}

/** The secrets and personal data in a text, `more` included; empty when it has none. */
export function privateIn(text: string, more: readonly string[] = []): string[] {
  const without_ids = text.replaceAll(RANDOM_ID, '')
  return [
    ...formsOf(PRIVATE_TEXTS).filter(one => without_ids.includes(one)),
    ...formsOf(more).filter(one => text.includes(one)),
    ...PRIVATE_FORMS.filter(([, form]) => form.test(text)).map(([what]) => what),
  ]
}

/** A first start prints the sandbox account once, as text or JSON, between the lines of its log. */
const WELCOME =
  /\nCorridor is ready at [\s\S]*?\nGuides, clients and the reference are at [^\n]*\n\n|^\{"address":"http.*\}\n/gm

/** The log lines that are not one event as JSON. */
export function faultsOfLines(text: string): string[] {
  const lines = text.replace(WELCOME, '').split('\n')
  // A killed process may leave half a line.
  const last = lines.pop() ?? ''
  const whole = last === '' ? lines : lines.filter(line => line !== '')
  return whole.flatMap(line => (isEvent(line) ? [] : [`no event: ${line.slice(0, 200)}`]))
}

function isEvent(line: string): boolean {
  try {
    const { level, time, msg } = JSON.parse(line)
    return Number.isInteger(level) && Number.isInteger(time) && typeof msg === 'string'
  } catch {
    return false
  }
}

/** Tests put this word into texts that no log may hold; no id contains it. */
export const CANARY = 'Zqcanary'

/**
 * Error messages with a row's values that a test provokes on purpose; only their DETAIL lines are
 * faults.
 */
const ON_PURPOSE = /ERROR: {2}(invalid input syntax|refused: )/

export interface RunOutput {
  readonly folder: string
  /** The log of the database; '' without access to it. */
  readonly databaseLog: string
  /** Secrets of this run. */
  readonly secrets: readonly string[]
  /** Whether all tests ran, so that each kind must exist. */
  readonly whole: boolean
}

/** Searches everything that a run has kept; returns one line for each fault. */
export async function faultsOfRun(output: RunOutput): Promise<string[]> {
  const { folder, databaseLog, whole } = output
  const secrets = [...output.secrets, CANARY]
  const faults: string[] = []
  const missing = new Set(whole ? ['log', 'metrics', 'traces'] : [])
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8')
    if (text.trim() !== '') missing.delete(name.replace(/^.*\./, ''))
    const lines = name.endsWith('.log') ? faultsOfLines(text) : []
    const printed = text.replace(WELCOME, '')
    // Most files have no fault, which one search of the whole text shows fastest.
    const suspects = privateIn(printed, secrets).length === 0 ? [] : printed.split('\n')
    const found = suspects.flatMap(line =>
      privateIn(line, secrets).map(what => `${what}: ${line.slice(0, 400)}`),
    )
    faults.push(...[...lines, ...found].map(fault => `${name}: ${fault}`))
  }
  for (const line of databaseLog.split('\n').filter(line => !ON_PURPOSE.test(line))) {
    const found = [...PRIVATE_TEXTS, ...secrets].filter(text => line.includes(text))
    faults.push(...found.map(what => `log of PostgreSQL: ${what}: ${line.slice(0, 400)}`))
  }
  return [...faults, ...[...missing].map(kind => `nothing was kept: ${kind}`)]
}
