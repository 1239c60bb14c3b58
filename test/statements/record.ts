// Loaded into every process of a test run (`--import`): writes down each text of a statement that the
// product sends, once a process, with the file that it stands in. Statements of tests are their own.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Statement } from '../../src/sql/sql.ts'

/** One line of what is written down. */
export interface Sent {
  readonly text: string
  /** The file of the product that has it, such as `src/ledger/store.ts`. */
  readonly file: string
}

const folder = process.env.TEST_STATEMENTS
if (folder !== undefined && folder !== '') await listen(join(folder, `${process.pid}.jsonl`))

async function listen(path: string): Promise<void> {
  const seen = new Set<string>()
  const execute = Statement.prototype.execute
  const recorded = new WeakSet<Statement>()
  /** Places in the source whose text is known: of values alone, it is always the same. */
  const known = new WeakSet<object>()
  Statement.prototype.execute = function recording(this: Statement) {
    const answer = execute.call(this)
    const { source, values } = this
    if (recorded.has(this) || (typeof source !== 'string' && known.has(source))) return answer
    recorded.add(this)
    answer.then(
      () => {
        if (typeof source !== 'string' && values.every(isValue)) known.add(source)
        const { text, prepare } = this.written()
        const file = seen.has(text) ? undefined : fileOf(this, prepare, text)
        if (file === undefined) return
        seen.add(text)
        appendFileSync(path, `${JSON.stringify({ text, file } satisfies Sent)}\n`)
      },
      () => {},
    )
    return answer
  } as typeof execute
}

/** No part of the text. */
const isValue = (value: unknown) =>
  typeof value !== 'object' || value === null || !('write' in value)

const OF_ROWS = /^(?:insert|with (?:written|removed) as)/

const SHARED = /\/src\/sql\/(transact|sql)\.ts:/

/** By place in the source: to read a stack is slow. */
const files = new WeakMap<object, { readonly file: string | undefined }>()

/** The file of the product; undefined of what a test has made. */
function fileOf({ source, origin }: Statement, prepare: boolean, text: string): string | undefined {
  // Rows are written by texts that are put together, and prepared.
  if (typeof source === 'string')
    return prepare && OF_ROWS.test(text) ? 'src/sql/rows.ts' : undefined
  const known = files.get(source)
  if (known !== undefined) return known.file
  const file = findFile(origin)
  // Whose a shared statement is depends on who has it sent.
  if (!SHARED.test(origin)) files.set(source, { file })
  return file
}

function findFile(origin: string): string | undefined {
  for (const line of origin.split('\n')) {
    const [, file] = /\/((?:src|test|bench|scripts)\/[\w/.-]+\.ts):\d/.exec(line) ?? []
    if (file === undefined || line.includes('node_modules')) continue
    if (SHARED.test(line)) continue
    return file.startsWith('src/') ? file : undefined
  }
  return undefined
}
