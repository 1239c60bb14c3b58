// Loaded into every process of a test run (`--import`): writes down each text of a statement that the
// product sends, once a process, with the file that it stands in. Statements of tests are their own.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/** One line of what is written down. */
export interface Sent {
  readonly text: string
  /** The file of the product that has it, such as `src/ledger/store.ts`. */
  readonly file: string
}

interface Query {
  readonly tagged: boolean
  /** The texts of the literal: one object for each place in the source. */
  readonly strings: object
  readonly origin: string
  readonly options: { readonly prepare?: boolean }
  readonly statement: { readonly string: string } | null
  resolve(result: unknown): void
  handle(): unknown
}

const folder = process.env.TEST_STATEMENTS
if (folder !== undefined && folder !== '') await listen(join(folder, `${process.pid}.jsonl`))

async function listen(path: string): Promise<void> {
  const driver = new URL('../../node_modules/postgres/src/query.js', import.meta.url)
  const { Query } = (await import(driver.href)) as { Query: { prototype: Query } }
  const handle = Query.prototype.handle
  const seen = new Set<string>()
  const heard = new WeakSet<Query>()
  Query.prototype.handle = function listened(this: Query) {
    if (!heard.has(this)) {
      heard.add(this)
      const resolve = this.resolve
      this.resolve = (result: unknown) => {
        const text = this.statement?.string
        const file = text === undefined || seen.has(text) ? undefined : fileOf(this)
        if (text !== undefined && file !== undefined) {
          seen.add(text)
          appendFileSync(path, `${JSON.stringify({ text, file } satisfies Sent)}\n`)
        }
        resolve.call(this, result)
      }
    }
    return handle.call(this)
  }
}

const SHARED = /\/src\/db\/(transact|statements)\.ts:/

/** By place in the source: to read a stack is slow. */
const files = new WeakMap<object, { readonly file: string | undefined }>()

/** The file of the product; undefined of what a test has made. */
function fileOf(query: Query): string | undefined {
  if (!query.tagged) return findFile(query)
  const known = files.get(query.strings)
  if (known !== undefined) return known.file
  const file = findFile(query)
  // Whose a shared statement is depends on who has it sent.
  if (!SHARED.test(query.origin)) files.set(query.strings, { file })
  return file
}

function findFile(query: Query): string | undefined {
  if (!query.tagged) return isOfRows(query) ? 'src/db/rows.ts' : undefined
  for (const line of query.origin.split('\n').slice(1)) {
    const [, file] = /\/((?:src|test|bench|scripts)\/[\w/.-]+\.ts):\d/.exec(line) ?? []
    if (file === undefined || line.includes('node_modules')) continue
    if (SHARED.test(line)) continue
    return file.startsWith('src/') ? file : undefined
  }
  return undefined
}

/** Rows are written by texts that are put together, and prepared. */
function isOfRows({ options, statement }: Query): boolean {
  const text = statement?.string ?? ''
  return options.prepare === true && /^(?:insert|with (?:written|removed) as)/.test(text)
}
