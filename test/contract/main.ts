// `npm run test:contract`: others judge openapi.json and the service. Prism looks at each answer to
// our own client, Redocly runs a workflow, two generators make clients that compile and pay, svix
// verifies a webhook. Then one field of one answer is broken, and both judges must say so. Needs the
// network once, to install the tools that package.json names.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Corridor } from '../../packages/sdk/src/index.ts'
import { listenOn } from '../support/network/port.ts'
import { HEY_API, OPENAPI_FETCH } from './apps.ts'
import { callEverything } from './calls.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const ROOT = join(HERE, '../..')
const DOCUMENT = join(ROOT, 'openapi.json')
/** Not below test/, whose files npm test looks through. */
const TOOLS = join(ROOT, 'node_modules/.cache/corridor-contract')
const BIN = join(TOOLS, 'node_modules/.bin')

const STRICT = {
  strict: true,
  skipLibCheck: true,
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  outDir: 'out',
}

const children: ChildProcess[] = []
const folder = await mkdtemp(join(tmpdir(), 'corridor-contract-'))
process.exitCode = 1
try {
  await cp(join(HERE, 'package.json'), join(TOOLS, 'package.json'))
  run(TOOLS, 'npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'])
  await check('Redocly and Spectral, the documents: no finding', lint)
  const hook = await startHook()
  const { address, apiKey } = await startService()
  await check('Prism, each answer to our client', () => judgeByPrism(address, apiKey, hook.url))
  await check('Redocly, a workflow', () => judgeByRedocly(address, apiKey, 0))
  await check('two generated clients, compiled and run', () => useGenerators(address, apiKey))
  await check('svix, a delivery', () => verifyBySvix(address, apiKey, hook))
  const broken = await startBreaker(address)
  await check('Prism, a broken field: found', async () => {
    const judged = judgeByPrism(broken, apiKey, hook.url)
    await assert.rejects(judged, /GET \/v3\/payout\/pot_\w+: .*amount/)
  })
  await check('Redocly, a broken field: found', () => judgeByRedocly(broken, apiKey, 1))
  process.exitCode = 0
} finally {
  for (const child of children) child.kill()
  await Promise.all(children.map(child => child.exitCode ?? once(child, 'exit')))
  await rm(folder, { recursive: true, force: true })
}
process.exit()

async function check(what: string, judge: () => Promise<void>): Promise<void> {
  await judge()
  process.stdout.write(`✔ ${what}\n`)
}

async function lint(): Promise<void> {
  const documents = ['openapi.json', 'docs/operator.openapi.json', 'docs/connector.openapi.json']
  for (const document of documents) {
    const found = run(ROOT, join(BIN, 'redocly'), ['lint', document, '--format=json'])
    const { totals } = JSON.parse(found)
    assert.deepEqual([totals.errors, totals.warnings], [0, 0], found)
  }
  run(ROOT, join(BIN, 'spectral'), ['lint', ...documents, '--fail-severity=hint'])
}

/** Runs to its end; what it has printed. */
function run(
  cwd: string,
  command: string,
  args: readonly string[],
  expected = 0,
  env = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', ...env },
  })
  assert.equal(status, expected, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

/** Runs until the end of this program; resolves with what the first line that matches has. */
async function start(command: string, args: readonly string[], line: RegExp, env = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env } })
  children.push(child)
  const found = Promise.withResolvers<RegExpExecArray>()
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', text => {
      said.push(text)
      const match = line.exec(text)
      if (match !== null) found.resolve(match)
    })
  }
  child.once('exit', () => found.reject(new Error(`${command} has ended\n${said.join('\n')}`)))
  return { match: await found.promise, said }
}

/** As somebody who tries it: in an empty folder, with the sandbox of the first start. */
async function startService() {
  const env = {
    PORT: '0',
    CORRIDOR_DATA: join(folder, 'data'),
    CORRIDOR_SIMULATOR_DELAY_MS: '0',
    CORRIDOR_WEBHOOK_ALLOW_PRIVATE: 'on',
  }
  const { match, said } = await start(
    join(ROOT, 'bin/corridor'),
    ['start'],
    /api_key='([^']+)'/,
    env,
  )
  const [, address = ''] = /ready at (http\S+:\d+)/.exec(said.join('\n')) ?? []
  return { address, apiKey: match[1] as string }
}

/** Of each answer that is not as documented: the request, and what Prism says of it. */
async function judgeByPrism(address: string, apiKey: string, hook: string): Promise<void> {
  const { match } = await start(
    join(BIN, 'prism'),
    ['proxy', DOCUMENT, address, '--port', '0'],
    /listening on (http:\S+)/,
  )
  const found: string[] = []
  let answers = 0
  const watched: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init)
    answers += 1
    const said = JSON.parse(answer.headers.get('sl-violations') ?? '[]') as Violation[]
    const wrong = said.filter(one => one.location[0] === 'response' || answer.ok)
    const { pathname } = new URL(String(url))
    if (wrong.length > 0) found.push(`${init?.method} ${pathname}: ${JSON.stringify(wrong)}`)
    return answer
  }
  const baseUrl = match[1] as string
  await callEverything(new Corridor({ apiKey, baseUrl, fetch: watched }), hook)
  assert.deepEqual(found, [])
  process.stdout.write(`  ${answers} answers\n`)
}

interface Violation {
  readonly location: readonly string[]
}

async function judgeByRedocly(address: string, apiKey: string, expected: number): Promise<void> {
  const input = JSON.stringify({ authorization: basic(apiKey) })
  const file = join(HERE, 'first-payout.arazzo.yaml')
  const options = ['--server', `corridor=${address}`, '--input', input]
  run(HERE, join(BIN, 'redocly'), ['respect', file, ...options], expected)
}

/** By TypeScript 5: the generators need its compiler, which later versions do not have. */
async function useGenerators(address: string, apiKey: string): Promise<void> {
  const app = join(folder, 'app')
  await cp(DOCUMENT, join(app, 'openapi.json'))
  await writeFile(join(app, 'package.json'), '{}')
  await symlink(join(TOOLS, 'node_modules'), join(app, 'node_modules'))
  run(app, join(BIN, 'openapi-typescript'), ['openapi.json', '-o', 'api.d.ts'])
  run(app, join(BIN, 'openapi-ts'), [
    '-i',
    './openapi.json',
    '-o',
    './hey',
    '-c',
    '@hey-api/client-fetch',
  ])
  await writeFile(join(app, 'fetch.ts'), OPENAPI_FETCH)
  await writeFile(join(app, 'hey-api.ts'), HEY_API)
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT }))
  run(app, join(BIN, 'tsc'), [])
  const env = { AUTHORIZATION: basic(apiKey), ADDRESS: address }
  for (const name of ['fetch', 'hey-api']) {
    const out = run(app, process.execPath, [`out/${name}.js`], 0, env)
    assert.equal(out.trim(), '1200000,123456789012,not_found', name)
  }
}

interface Hook {
  readonly url: string
  readonly next: Promise<{ readonly body: string; readonly headers: Record<string, string> }>
}

async function startHook(): Promise<Hook> {
  const came = Promise.withResolvers<Awaited<Hook['next']>>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    if (request.url === '/svix')
      came.resolve({ body, headers: request.headers as Record<string, string> })
    response.writeHead(204).end()
  })
  return { url: `http://127.0.0.1:${await listenOn(server)}/hook`, next: came.promise }
}

async function verifyBySvix(address: string, apiKey: string, hook: Hook): Promise<void> {
  const { webhookEndpoints } = new Corridor({ apiKey, baseUrl: address })
  const url = hook.url.replace('/hook', '/svix')
  const { id, secret } = await webhookEndpoints.create({ url, event_types: ['payout.*'] })
  const { id: event } = await webhookEndpoints.test(id)
  const { body, headers } = await hook.next
  const { Webhook } = createRequire(join(TOOLS, 'package.json'))('svix')
  const { id: told } = new Webhook(secret).verify(body, headers) as { id: string }
  assert.equal(told, event)
  assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
}

/** In front of the service: the amount of a payout that is read becomes a text. */
async function startBreaker(address: string): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { host: _, ...headers } = request.headers as Record<string, string>
    const method = request.method ?? 'GET'
    const sent = { method, headers, ...(body !== '' && { body }) }
    const answer = await fetch(address + request.url, sent)
    const text = await answer.text()
    const isRead = method === 'GET' && /^\/v3\/payout\/pot_\w+$/.test(request.url ?? '')
    const told = isRead ? text.replace(/"amount":(\d+)/, '"amount":"$1"') : text
    const {
      'content-length': __,
      'transfer-encoding': ___,
      ...kept
    } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, kept).end(told)
  })
  return `http://127.0.0.1:${await listenOn(server)}`
}

function basic(apiKey: string): string {
  return `Basic ${btoa(apiKey)}`
}
