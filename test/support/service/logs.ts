// What the services of all tests have logged, at level trace, their metrics and what collectors have
// got of their traces, kept until the end of the run; then searched for what must never be in them.
// `npm test` names the folder.
import type { ChildProcess } from 'node:child_process'
import { openSync, writeSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { makeLog } from '../../../src/log.ts'
import { bankBeneficiary, fullEntity, plainEntity } from '../given/bodies.ts'

const folder = process.env.CORRIDOR_TEST_LOGS

/** The log of a service that runs in the test's own process; `faults` gets its lines of errors. */
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

/** What a collector of traces has got. */
export function keepTraces(body: string): void {
  keep('traces', `${body}\n`)
}

/** Both outputs of a service in a process of its own. */
export function keepOutput({ pid, stdout, stderr }: ChildProcess): void {
  stdout?.on('data', (bytes: Buffer) => keep('log', bytes, pid))
  stderr?.on('data', (bytes: Buffer) => keep('errors', bytes, pid))
}

/** The files of this process that are open: a service logs several lines for each request. */
const files = new Map<string, number>()

/** At once, as a test may be killed. */
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

/** What tests send of people and their money. */
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

/** What is secret or personal by its form, whoever sent it. */
const PRIVATE_FORMS: readonly (readonly [what: string, form: RegExp])[] = [
  ['secret of an API key', /corridor_(live|test)_[\w-]{40}/],
  ['secret of a webhook endpoint', /whsec_[\w+/-]{20}/],
  // base64 of "key_".
  ['credentials', /a2V5X[\w+/]{20}/],
  ['header with credentials', /authorization"|\bBasic [\w+/]{12}/i],
  ['password in a URL', /postgres(ql)?:\/\/[^\s:/@"]*:[^\s@"]+@/],
  ['e-mail address', /[\w.+-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}/i],
  ['IBAN', /\b[A-Z]{2}\d{2}(?=[A-Z\d]*\d{4})[A-Z\d]{11,30}\b/],
]

/** What must not be in this text of a log or of metrics; empty when all is well. */
export function privateIn(text: string, more: readonly string[] = []): string[] {
  const texts = [...PRIVATE_TEXTS, ...more].flatMap(one => [one, JSON.stringify(one).slice(1, -1)])
  return [
    ...new Set(texts.filter(one => one !== '' && text.includes(one))),
    ...PRIVATE_FORMS.filter(([, form]) => form.test(text)).map(([what]) => what),
  ]
}

/** What a first start prints once besides its log: the sandbox account, in words or as JSON. */
const WELCOME =
  /\nCorridor is ready at [\s\S]*?\nGuides, clients and the reference are at [^\n]*\n\n|^\{"address":"http.*\}\n/gm

/** What is wrong with lines of a log: each is one event, as JSON. */
export function faultsOfLines(text: string): string[] {
  const lines = text.replace(WELCOME, '').split('\n')
  // What a killed process was writing.
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

/** In texts of requests that may be nowhere; no id has it. */
export const CANARY = 'Zqcanary'

/** Messages with rows in them, which that test makes the database print; their details it must not. */
const ON_PURPOSE = /ERROR: {2}(invalid input syntax|refused: )/

export interface Kept {
  readonly folder: string
  /** The log of the database; '' where there is none to be had. */
  readonly databaseLog: string
  /** Secrets of this run alone. */
  readonly secrets: readonly string[]
  /** All tests ran, and so each kind must be there. */
  readonly whole: boolean
}

/** Everything kept of a run; one sentence for each fault. */
export async function faultsOfRun(kept: Kept): Promise<string[]> {
  const { folder, databaseLog, whole } = kept
  const secrets = [...kept.secrets, CANARY]
  const faults: string[] = []
  const missing = new Set(whole ? ['log', 'metrics', 'traces'] : [])
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8')
    if (text.trim() !== '') missing.delete(name.replace(/^.*\./, ''))
    const lines = name.endsWith('.log') ? faultsOfLines(text) : []
    const said = text.replace(WELCOME, '')
    // Nearly always there is nothing, which is quickest to see of all lines at once.
    const suspects = privateIn(said, secrets).length === 0 ? [] : said.split('\n')
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
