// The guides do what they say: every block of code of every guide runs against a real service, in
// the order of the guides and in each language, and gets what is shown below it.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { startSettling } from '../../src/app/worker/settle-payouts.ts'
import { openForwarder } from '../../src/cli/listen.ts'
import { GUIDE_NAMES } from '../../src/docs-site/library.ts'
import { ADDRESS, KEY } from '../../src/docs-site/snippets.ts'
import { newSecret } from '../../src/webhooks/sign.ts'
import { linkClient } from '../sdk/link.ts'
import { PYTHON_CLIENT, python } from '../sdk/python.ts'
import { freePort } from '../support/network/port.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

const run = promisify(execFile)

const LANGUAGES = {
  sh: { program: 'bash', args: ['-eu'], file: 'guide.sh', mark: "echo '§'" },
  ts: { program: process.execPath, args: [], file: 'guide.mts', mark: "console.log('§')" },
  python: { program: python, args: [], file: 'guide.py', mark: "print('§')" },
}

/** Prints objects as JSON, where people read them as their language shows them. */
const PRELUDES = {
  sh: '',
  ts: `const { log } = console
console.log = (...given) => log(...given.map(one => typeof one === 'object' ? JSON.stringify(one) : one))
`,
  python: `import builtins, json
show = builtins.print
def print(*given, **how):
    plain = lambda one: getattr(one, "data", one)
    texts = (json.dumps(plain(one), default=float) if isinstance(plain(one), (dict, list)) else one for one in given)
    show(*texts, **how)
`,
}
type Language = keyof typeof LANGUAGES

interface Step {
  readonly where: string
  readonly code: string
  /** What is shown below it. */
  shown?: string
}

let service: TestService
let address: string
let stop: () => Promise<unknown>
before(async () => {
  service = await startTestService({ settle: true })
  await service.setFees([{ payout_type: 'local' }])
  await service.setRates({ 'USD/HKD': '7.8', 'EUR/USD': '1.09' })
  address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const worker = startSettling(service.deps)
  stop = () => worker.stop()
})
after(async () => {
  await stop()
  await service.close()
})

/** The blocks of a language, of all guides. */
async function stepsOf(language: Language): Promise<Step[]> {
  const steps: Step[] = []
  for (const name of GUIDE_NAMES) {
    const guide = await readFile(`docs/guides/${name}.md`, 'utf8')
    let own: Step | undefined
    for (const [, lang = '', code = ''] of guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
      if (lang === language) {
        own = { where: `${name}: ${code.slice(0, 60)}`, code }
        const [, said] = /^# (\S+)\n$/m.exec(code) ?? []
        if (said !== undefined) own.shown = said
        steps.push(own)
      } else if (!(lang in LANGUAGES) && own !== undefined && own.shown === undefined) {
        own.shown = code
        own = undefined
      }
    }
  }
  return steps
}

/** What each block has printed. */
async function printed(language: Language, steps: readonly Step[], key: string) {
  const { program, args, file, mark } = LANGUAGES[language]
  const folder = await mkdtemp(join(tmpdir(), 'corridor-guides-'))
  try {
    const text = steps.map(({ code }) => `${code}\n${mark}\n`).join('')
    const path = join(folder, file)
    await linkClient(folder)
    const whole = `${PRELUDES[language]}${text}`.replaceAll(ADDRESS, address).replaceAll(KEY, key)
    await writeFile(path, whole)
    const env = { ...process.env, PYTHONPATH: PYTHON_CLIENT, PYTHONDONTWRITEBYTECODE: '1' }
    const { stdout } = await run(program, [...args, path], { timeout: 300_000, env })
    return stdout.split('§\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

for (const language of Object.keys(LANGUAGES) as Language[]) {
  test(`guides, every block in ${language}, run in order: prints the documented result`, async () => {
    const fund = { USD: 100_000_000n, EUR: 50_000_000n }
    const { key_id, secret } = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
    const steps = await stepsOf(language)
    assert.ok(steps.length >= 15, `${steps.length} blocks`)
    const texts = await printed(language, steps, `${key_id}:${secret}`)
    for (const [i, { where, shown }] of steps.entries()) {
      if (shown === undefined) continue
      const last = texts[i]?.trim().split('\n').at(-1) ?? ''
      if (shown.startsWith('{')) assertShown(shownIn(language, shown), JSON.parse(last), where)
      else assert.equal(last, shown.trim(), where)
    }
  })
}

/** The answer as HTTP has it; the clients give what is in the envelope. */
function shownIn(language: Language, shown: string): unknown {
  const answer = JSON.parse(shown)
  if (language === 'sh' || !('data' in answer)) return answer
  return answer.status === 'error' ? answer.errors : answer.data
}

for (const language of ['ts', 'python'] as const) {
  test(`guides, webhook receiver in ${language}: accepts deliveries of corridor listen, refuses a forged one`, async () => {
    const guide = await readFile('docs/guides/webhooks.md', 'utf8')
    const receiver = new RegExp(`^\`\`\`${language} receiver\\n(.*?)^\`\`\`$`, 'ms')
    const code = receiver.exec(guide)?.[1] ?? assert.fail('no receiver')
    const port = await freePort()
    const folder = await mkdtemp(join(tmpdir(), 'corridor-guides-'))
    await linkClient(folder)
    const path = join(folder, LANGUAGES[language].file)
    await writeFile(path, code.replace('3000', String(port)))
    const secret = newSecret(Buffer.alloc(32, 7))
    const env = { ...process.env, PYTHONPATH: PYTHON_CLIENT, webhook_secret: secret }
    const child = spawn(LANGUAGES[language].program, [path], { env })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    try {
      const forward = openForwarder(`http://127.0.0.1:${port}`, secret)
      const event = await anEvent()
      // Until it listens.
      let taken = await forward.send(event)
      while (taken.status_code === null) taken = await forward.send(event)
      assert.equal(taken.status_code, 204)
      assert.equal((await lines.next()).value, `verified ${event.type} ${event.object_id}`)
      const forged = openForwarder(`http://127.0.0.1:${port}`)
      assert.equal((await forged.send(event)).status_code, 400)
      assert.equal((await lines.next()).value, 'refused signature_mismatch')
    } finally {
      child.kill()
      await rm(folder, { recursive: true, force: true })
    }
  })
}

async function anEvent() {
  const account = await service.openAccount({ currencies: ['USD'] })
  await account.post('/v3/entity', { type: 'individual', name: 'Anna' })
  const { account_id } = account.account
  const [{ id }] = (await account.get('/v3/event')).json.data.results
  return (await service.deps.readers.event({ account_id, id })) ?? assert.fail('no event')
}

/** Members whose values the guides speak of, and so must be right. */
const EXACT = ['object', 'status', 'reason', 'remarks', 'name', 'operation_type', 'sandbox', 'path']

/** Every member that is shown is there, of the same type; of lists, the first is compared. */
function assertShown(shown: unknown, is: unknown, where: string, member = ''): void {
  assert.equal(typeof is, typeof shown, `${where} ${member}`)
  if (EXACT.includes(member)) assert.equal(is, shown, `${where} ${member}`)
  if (typeof shown !== 'object' || shown === null) return
  assert.ok(is !== null && Array.isArray(is) === Array.isArray(shown), `${where} ${member}`)
  for (const [name, value] of Object.entries(shown)) {
    const found = (is as Record<string, unknown>)[name]
    assert.notEqual(found, undefined, `${where}: no ${member}.${name}`)
    assertShown(value, found, where, name)
  }
}
