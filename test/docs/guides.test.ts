// The guides do what they say: every block of code of every guide runs against a real service, in
// the order of the guides and in each language, and gets what is shown below it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { GUIDE_NAMES } from '../../src/docs/library.ts'
import { ADDRESS, KEY } from '../../src/docs/snippets.ts'
import { startSettling } from '../../src/worker/settle-payouts.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

const run = promisify(execFile)

const LANGUAGES = {
  sh: { program: 'bash', args: ['-eu'], file: 'guide.sh', mark: "echo '§'" },
  ts: { program: process.execPath, args: [], file: 'guide.mts', mark: "console.log('§')" },
  python: { program: 'python3', args: [], file: 'guide.py', mark: "print('§')" },
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
        steps.push(own)
      } else if (!(lang in LANGUAGES) && own !== undefined) {
        own.shown = code
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
    await writeFile(path, text.replaceAll(ADDRESS, address).replaceAll(KEY, key))
    const { stdout } = await run(program, [...args, path], { timeout: 300_000 })
    return stdout.split('§\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

for (const language of Object.keys(LANGUAGES) as Language[]) {
  test(`guides, every block in ${language}, in order: runs and gets what is shown`, async () => {
    const fund = { USD: 100_000_000n, EUR: 50_000_000n }
    const { key_id, secret } = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
    const steps = await stepsOf(language)
    assert.ok(steps.length >= 15, `${steps.length} blocks`)
    const texts = await printed(language, steps, `${key_id}:${secret}`)
    for (const [i, { where, shown }] of steps.entries()) {
      if (shown === undefined) continue
      const last = texts[i]?.trim().split('\n').at(-1) ?? ''
      if (shown.startsWith('{')) assertShown(JSON.parse(shown), JSON.parse(last), where)
      else assert.equal(last, shown.trim(), where)
    }
  })
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
