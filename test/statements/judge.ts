// Every text of a statement that a test run has sent, held against the rules of a spread database
// (rules.ts) and the list of those that may ask more (reviewed.ts).
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMigrations } from '../../src/sql/migrate.ts'
import type { Sent } from './record.ts'
import { REVIEWED, type Reviewed } from './reviewed.ts'
import { judge } from './rules.ts'

export interface Judged {
  /** How many texts were held against the rules. */
  readonly count: number
  /** One line each. */
  readonly faults: readonly string[]
}

/**
 * @param options.whole whether all tests ran: each text that looks up rows of several accounts has
 *   then been sent of one account as well, as a spread database is sent it
 */
export async function judgeStatements(options: {
  readonly folder: string
  readonly whole: boolean
}): Promise<Judged> {
  const sent = await readSent(options.folder)
  const owned = await listOwned()
  const single = new Set<string>()
  const by_rows: Sent[] = []
  const faults: string[] = []
  for (const one of sent) {
    const judgement = await judge(one.text, { owned })
    faults.push(...judgement.too_new.map(why => `${one.file}: ${why}: ${short(one.text)}`))
    const reviewed = REVIEWED.find(known => isMeant(known, one))
    if (reviewed !== undefined) {
      const whys = reviewed.unsent === true ? [] : judgement.ungathered
      faults.push(...whys.map(why => `${one.file}: ${why}: ${short(one.text)}`))
      continue
    }
    faults.push(...judgement.faults.map(fault => `${one.file}: ${fault}: ${short(one.text)}`))
    if (judgement.by_rows) by_rows.push(one)
    else single.add(bare(one.text))
  }
  if (!options.whole) return { count: sent.length, faults }
  for (const one of by_rows) {
    // Inserts of rows are sent in another form altogether; see `inserter`.
    if (one.file === 'src/sql/rows.ts' && one.text.startsWith('insert')) continue
    if (!single.has(bare(one.text))) {
      faults.push(`${one.file}: never says whose rows it looks up: ${short(one.text)}`)
    }
  }
  return { count: sent.length, faults }
}

async function readSent(folder: string): Promise<Sent[]> {
  const sent = new Map<string, Sent>()
  for (const name of (await readdir(folder)).filter(name => name.endsWith('.jsonl'))) {
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      // The last line of a process that was killed may have no end.
      if (!line.endsWith('}')) continue
      const one = JSON.parse(line) as Sent
      sent.set(one.text, one)
    }
  }
  return [...sent.values()]
}

/** The tables that the migrations put under row-level security, and views of them. */
async function listOwned(): Promise<Set<string>> {
  const text = (await readMigrations()).map(migration => migration.text).join('\n')
  const [, names = ''] = /foreach name in array array\[([^\]]*'books'[^\]]*)\]/.exec(text) ?? []
  const first = [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
  const later = [...text.matchAll(/confine_to_accounts\('(\w+)'\)/g)].map(([, name = '']) => name)
  const tables = [...first, ...later]
  const views = [...text.matchAll(/create view (\w+)/g)].map(([, name = '']) => name)
  if (!tables.includes('books')) throw new Error('no list of tables in the migrations')
  return new Set([...tables, ...views])
}

function isMeant({ file, says }: Reviewed, one: Sent): boolean {
  return one.file.startsWith(file) && spaced(one.text).includes(says)
}

/** Rows as parameters: arrays of many rows, or the values of one. */
const ROWS = /unnest\((?:[^()]|\([^()]*\))*\)|\(select (?:\$\d+::\w+(?:, )?)+\)/g

/** Without what `within` adds, and whatever its parameters are. */
function bare(text: string): string {
  return spaced(text)
    .replace(ROWS, 'rows')
    .replace(/ and \w+\.account_id = (?:any \()?\$\d+(?:::text(?:\[\])?)?\)?/g, '')
    .replace(/\$\d+/g, '$')
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function short(text: string): string {
  const line = spaced(text)
  return line.length > 240 ? `${line.slice(0, 240)}…` : line
}
