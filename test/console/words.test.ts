// The words of the console's pages: people who read them have no command line.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

/** The lines of these files that name a command or an option of one; comments are left out. */
async function commandsIn(pattern: string, exclude: readonly string[] = []): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob(pattern)) {
    if (exclude.some(part => path.includes(part))) continue
    const lines = (await readFile(path, 'utf8')).split('\n')
    lines.forEach((line, i) => {
      const isComment = /^\s*(\/\/|\/?\*)/.test(line)
      if (!isComment && /\bcorridor [a-z]+|--[a-z]+ (lists|sets|takes)/.test(line))
        found.push(`${path}:${i + 1} ${line}`)
    })
  }
  return found
}

test('pages of the console: no command of the command line', async () => {
  assert.deepEqual(await commandsIn('src/console/**/*.ts'), [])
})

/** The rooms whose refusals a page may show. */
const REFUSING =
  'src/{accounts,adapters,controls,engine,http,imports,ledger,parties,payouts,prices,quotes,rails,' +
  'search,statements,treasury,webhooks}/**/*.ts'

/** Texts that only a command, a log or a description of the API has. */
const NEVER_SHOWN = [
  '.test.ts',
  // Alerts for whoever runs the server.
  'adapters/bank-file/alert.ts',
  'adapters/bank-file/mark.ts',
  'adapters/evm/trouble.ts',
  // The names of a lock and of a kind of file.
  'adapters/bank-file/seal.ts',
  'payouts/advance/cover-store.ts',
  'treasury/house.ts',
  'treasury/item-store.ts',
  'treasury/match/match-store.ts',
  // What to type next, which commands show. Pages have words of their own.
  'treasury/match/exception.ts',
  'statements/event/archive.ts',
  'statements/event/cut.ts',
  'statements/balance-transaction/statement/write.ts',
  // Descriptions of routes.
  'payouts/group/routes.ts',
]

test('refusals that a page may show: no command of the command line', async () => {
  assert.deepEqual(await commandsIn(REFUSING, NEVER_SHOWN), [])
})
