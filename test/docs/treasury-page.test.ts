// The page of the treasury does what it says: each command of its blocks runs on a new database, in the
// order of the page.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { deriveSome } from '../../src/treasury/derive.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let folder: string
let account_id: string
const clis = new Map<string, Cli>()
before(async () => {
  service = await startTestService()
  folder = await mkdtemp(join(tmpdir(), 'corridor-page-'))
  const opened = await service.openAccount({ currencies: ['EUR'], sandbox: false })
  account_id = opened.account.account_id
})
after(async () => {
  for (const cli of clis.values()) await cli.close()
  await rm(folder, { recursive: true })
  await service.close()
})

/** The lines of the blocks of shell, each continued line as one. */
async function linesOf(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8')
  const blocks = text.matchAll(/^```sh\n(.*?)^```$/gms)
  return [...blocks].flatMap(([, block = '']) =>
    block
      .replace(/\\\n\s*/g, ' ')
      .trimEnd()
      .split('\n'),
  )
}

/** The words of a command as a shell reads them: without quotes, a comment, or where it writes to. */
function wordsOf(command: string): string[] {
  const [, words = ''] = /^corridor ((?:"[^"]*"|[^"#>])*)/.exec(command) ?? []
  return [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare)
}

test('docs/treasury.md, each command of the page in its order on a new database: succeeds, but for those that say "once"', async () => {
  const lines = await linesOf('docs/treasury.md')
  const files = new Map<string, string>()
  let user = ''
  let commands = 0
  while (lines.length > 0) {
    const line = lines.shift() ?? ''
    const [, file] = /^cat > (\S+) <<'END'$/.exec(line) ?? []
    const [, name] = /^export CORRIDOR_USER=(\S+)$/.exec(line) ?? []
    if (file !== undefined) {
      const content = lines.splice(0, lines.indexOf('END') + 1).slice(0, -1)
      files.set(file, join(folder, file))
      await writeFile(join(folder, file), `${content.join('\n')}\n`)
    } else if (name !== undefined) user = name
    else {
      const given = wordsOf(line.replaceAll('acc_7k2m9x4q', account_id))
      assert.ok(given.length > 0, `a line that is no command: ${line}`)
      await run(
        user,
        given.map(word => files.get(word) ?? word),
        line,
      )
      commands += 1
    }
  }
  assert.ok(commands > 20, `${commands} commands`)
})

async function run(user: string, words: readonly string[], line: string): Promise<void> {
  while ((await deriveSome(service.deps)).journals > 0n);
  const known = clis.get(user)
  const cli = known ?? (await openCli(service.database.url, user ? { CORRIDOR_USER: user } : {}))
  clis.set(user, cli)
  const { code, stderr } = await cli.run(...words)
  // What needs more than the page has done before is refused, and for no wrong word.
  if (line.includes('# once')) assert.doesNotMatch(stderr, /unknown|missing|--help/)
  else assert.equal(code, 0, `${line}\n${stderr}`)
}
