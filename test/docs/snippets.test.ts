// The snippets of the reference and of the console: in TypeScript they compile against the client,
// and each of the three languages sends the same request, which the service takes.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { referencePages } from '../../src/docs-site/reference.ts'
import { curl } from '../../src/docs-site/snippet/curl.ts'
import { python as inPython } from '../../src/docs-site/snippet/python.ts'
import { typescript as inTypeScript } from '../../src/docs-site/snippet/typescript.ts'
import { ADDRESS, KEY } from '../../src/docs-site/snippets.ts'
import { runInTurns } from '../../src/values/event-loop.ts'
import { CLIENT, linkClient } from '../sdk/link.ts'
import { noPython, PYTHON_CLIENT, python } from '../sdk/python.ts'
import type { Ids } from '../support/assert/routes.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Front, startFront } from '../support/network/front.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { makeWorld } from '../support/service/world.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** One request in each language. */
interface Snippet {
  readonly sh: string
  readonly ts: string
  readonly python: string
}

/** As screens of the console ask, and what the reference has no example of. */
const ASKED = [
  { verb: 'GET', path: '/v3/payout?limit=50&status=failed&status=reversed&scheduled=true' },
  { verb: 'GET', path: '/v3/payout?created.gte=2026-01-31T09%3A00%3A00Z&metadata%5Ba%27s%5D=7' },
  { verb: 'GET', path: '/v3/payout/quote/poq_…?explain=true' },
  { verb: 'POST', path: '/v3/payout?dry_run=true', body: { ...localPayout, metadata: {} } },
  {
    verb: 'POST',
    path: '/v3/entity',
    body: { type: 'individual', name: 'Ann "\\ \'O\n', email: '' },
  },
]

let folder: string
let service: TestService
let front: Front
let snippets: Snippet[]
let ids: Ids
let key: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-snippets-'))
  const document = JSON.parse(await readFile('openapi.json', 'utf8'))
  const pages = await runInTurns(referencePages(document))
  const blocks = /```sh\n(.*?)\n```\n\n```ts\n(.*?)\n```\n\n```python\n(.*?)\n```/gs
  snippets = pages
    .flatMap(({ markdown }) => [...markdown.matchAll(blocks)])
    .map(([, sh = '', ts = '', py = '']) => ({ sh, ts, python: py }))
  for (const { body, ...asked } of ASKED) {
    const sent = { ...asked, origin: ADDRESS, ...(body && { body }) }
    const [ts, py] = [inTypeScript(sent), inPython(sent)]
    const sh = curl(sent, body && JSON.stringify(body))
    snippets.push({ sh, ts: ts ?? assert.fail(sent.path), python: py ?? assert.fail(sent.path) })
  }
  service = await startTestService({ webhook_allow_private: true, request_log: true })
  await service.setRates({ 'EUR/USD': '1.1', 'USD/HKD': '7.8' })
  const world = await makeWorld(service, true)
  ids = world.ids
  key = `${world.client.key_id}:${world.client.secret}`
  front = await startFront(service.app)
})
after(async () => {
  front.close()
  await service.close()
  await rm(folder, { recursive: true })
})

test('code snippets: one per operation; TypeScript ones compile against the SDK', async () => {
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8'))
  const operations = Object.values<object>(paths).flatMap(Object.keys)
  assert.equal(snippets.length, operations.length + ASKED.length)
  for (const [i, { ts }] of snippets.entries()) await writeFile(join(folder, `s${i}.mts`), ts)
  const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'))
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const lib = ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable']
  const own = { paths: { '@corridor-payouts/sdk': [CLIENT] }, typeRoots, lib }
  const config = { compilerOptions: { ...compilerOptions, ...own }, include: ['s*.mts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  await run(tsc, ['-p', folder]).catch(({ stdout }) => assert.fail(stdout))
})

interface Request {
  readonly verb: string
  readonly path: string
  readonly query: readonly string[]
  readonly body: unknown
}

function requestOf(verb: string, url: string, body: string): Request {
  const { pathname, searchParams } = new URL(url, ADDRESS)
  const query = [...searchParams].map(pair => pair.join('=')).sort()
  return { verb, path: pathname, query, body: body === '' ? undefined : JSON.parse(body) }
}

/** What curl sends. */
function curled(sh: string): Request {
  const [, verb = 'GET'] = / -X (\w+)/.exec(sh) ?? []
  const [, url = ''] = / '(http[^']+)'/.exec(sh) ?? []
  const [, body = ''] = / -d '(.*)'$/s.exec(sh) ?? []
  return requestOf(verb, url, body.replaceAll(`'\\''`, "'"))
}

/** With ids of objects that there are, the key that opens them, and the address of the front. */
function real(code: string): string {
  const named = code.replaceAll(KEY, key).replaceAll(ADDRESS, front.address)
  return named.replace(/\b([a-z]{3})_…/g, (id, prefix) => ids[prefix] ?? id)
}

const inner = (code: string, by: string) =>
  code
    .split('\n')
    .map(line => by + line)
    .join('\n')

/** Every snippet after the other, in one process; what came of each, as JSON. */
const PROGRAMS = {
  ts: {
    file: 'every.mts',
    command: process.execPath,
    text: (codes: readonly string[]) => `import { Corridor } from '@corridor-payouts/sdk'
const print = console.log
console.log = () => {}
const all = [${codes.map(code => `async () => {\n${code.replace(/^import .*\n/, '')}\n}`).join(',\n')}]
const done = []
for (const one of all) done.push(await one().then(() => 'done', error => error.reason ?? String(error)))
print(JSON.stringify(done))
`,
  },
  python: {
    file: 'every.py',
    command: python,
    text: (codes: readonly string[]) => `import json
from corridor import CorridorError
show, print, done = print, lambda *_: None, []
${codes.map((code, i) => `def s${i}():\n${inner(code, '    ')}`).join('\n')}
for one in [${codes.map((_, i) => `s${i}`)}]:
    try:
        one()
        done.append("done")
    except CorridorError as error:
        done.append(error.reason)
show(json.dumps(done))
`,
  },
} as const

/** A reader may run these as they are. */
const DONE = [
  'GET /v3/account',
  'GET /v3/balance_transaction',
  'GET /v3/payout',
  'GET /v3/payout/:pot',
  'GET /v3/payout/requirements',
  'GET /v3/rate',
  'GET /v3/statement',
  'POST /v3/beneficiary',
  'POST /v3/payout/quote',
  'POST /v3/sandbox/fund',
]

for (const language of ['ts', 'python'] as const) {
  test(`code snippets in ${language}: each sends the same request as curl, accepted by the service`, {
    skip: language === 'python' && noPython,
  }, async () => {
    const own = await mkdtemp(join(folder, 'run-'))
    await linkClient(own)
    const { file, command, text } = PROGRAMS[language]
    const path = join(own, file)
    await writeFile(path, text(snippets.map(snippet => real(snippet[language]))))
    const sent: Request[] = []
    front.observe = (verb, url, body) => void sent.push(requestOf(verb, url, body))
    const env = { ...process.env, CORRIDOR_KEY: key, PYTHONPATH: PYTHON_CLIENT }
    const options = { env: { ...env, PYTHONDONTWRITEBYTECODE: '1' } }
    const { stdout } = await run(command, [path], options)
    const asked = snippets.map(({ sh }) => curled(real(sh)))
    // A list is read to its end, and a busy service may be asked twice.
    const first = (request: Request) => !request.query.some(pair => pair.startsWith('starting_'))
    const texts = sent.filter(first).map(one => JSON.stringify(one))
    assert.deepEqual(
      texts.filter((one, i) => one !== texts[i - 1]),
      asked.map(one => JSON.stringify(one)),
    )
    const came: string[] = JSON.parse(stdout)
    const names = asked.map(
      ({ verb, path }) => `${verb} ${path.replace(/[a-z]{3}_\w{20}/, id => `:${id.slice(0, 3)}`)}`,
    )
    const done = new Set(names.filter((_, i) => came[i] === 'done'))
    assert.deepEqual(
      DONE.filter(name => !done.has(name)),
      [],
      names.map((name, i) => `${name}: ${came[i]}`).join('\n'),
    )
  })
}
