// The house rules that a reader relies on, held by a test: imports run one way, rules are pure, files
// and functions stay readable, nothing half-done is left behind.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { before, test } from 'node:test'
import { REVIEWED } from './statements/reviewed.ts'

const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 60
const MAX_LINE_WIDTH = 100

interface Source {
  readonly path: string
  readonly text: string
  readonly lines: readonly string[]
}

let sources: Source[]
before(async () => {
  sources = await sourcesOf('src/**/*.ts')
})

async function sourcesOf(pattern: string, ...exclude: string[]): Promise<Source[]> {
  const paths = await Array.fromAsync(glob(pattern, { exclude }))
  return Promise.all(
    paths.sort().map(async path => {
      const text = await readFile(path, 'utf8')
      return { path, text, lines: text.split('\n') }
    }),
  )
}

/** Has the words of a program as text. */
const WRITES_PROGRAMS = 'src/docs-site/snippet/typescript.ts'

/** Written by hand. */
const CLIENT = 'packages/sdk/src/*.ts'

const product = () => sources.filter(({ path }) => !path.endsWith('.test.ts'))

function roomOf(path: string): string {
  const [, first = ''] = path.split('/')
  return first.replace(/\.ts$/, '')
}

/** The packages that a file loads when it runs: of types nothing is left by then. */
function librariesOf(text: string): string[] {
  const imports = text.matchAll(
    /^(?:import|export) (?!type )(?:[^'"]*from )?'([^'.][^']*)'|import\('([^'.][^']*)'\)/gm,
  )
  return Array.from(imports, ([, at_once, late]) => at_once ?? late ?? '')
    .filter(name => !name.startsWith('node:'))
    .map(name => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
}

/** The files of ours that a file imports, late ones and types too. */
function importsOf(path: string, text: string): string[] {
  const imports = text.matchAll(/^(?:import|export) [^'"]*from '(\.[^']+)'|import\('(\.[^']+)'\)/gm)
  return Array.from(imports, ([, at_once, late]) =>
    normalize(join(dirname(path), at_once ?? late ?? '')),
  )
}

/** The rooms that each room imports, with a file that does. */
function roomsUnder(): Map<string, Map<string, string>> {
  const under = new Map<string, Map<string, string>>()
  for (const { path, text } of product()) {
    const from = roomOf(path)
    const known = under.get(from) ?? new Map<string, string>()
    under.set(from, known)
    for (const target of importsOf(path, text)) {
      if (roomOf(target) !== from) known.set(roomOf(target), `${path} imports ${target}`)
    }
  }
  return under
}

test('imports between rooms, including types: in one direction, no circle', () => {
  const under = roomsUnder()
  const floors = new Map<string, number>()
  const circles: string[] = []
  const floorOf = (room: string, way: readonly string[]): number => {
    if (way.includes(room)) {
      const rooms = [...way.slice(way.indexOf(room)), room]
      circles.push(...rooms.slice(1).map((to, i) => under.get(rooms[i] ?? '')?.get(to) ?? to))
      return 0
    }
    const known = floors.get(room)
    if (known !== undefined) return known
    const below = [...(under.get(room)?.keys() ?? [])].map(to => floorOf(to, [...way, room]))
    const floor = Math.max(-1, ...below) + 1
    floors.set(room, floor)
    return floor
  }
  for (const room of under.keys()) floorOf(room, [])
  assert.deepEqual(circles, [])
})

/**
 * The files of a room, or of a folder in it, in the order in which they stand on each other: what a caller sends, what it
 * is (a file named as the room), how it is stored, what is decided, what the caller sees, SQL,
 * what a lane runs, HTTP. A room has those that it needs, and others besides.
 */
const ORDER = [
  ['request', 'NOUN'],
  ['columns'],
  ['rules'],
  ['response'],
  ['store'],
  ['operation', 'operations'],
  ['routes'],
]

test('imports within a room: only from files of a lower layer', () => {
  const wrong: string[] = []
  const placeOf = (path: string) => {
    const room = basename(dirname(path))
    const file = basename(path, '.ts').replace(/^.+-(?=store$|operations?$)/, '')
    const is_noun = file === room || `${file}s` === room
    return ORDER.findIndex(files => files.includes(is_noun ? 'NOUN' : file))
  }
  for (const { path, text } of product()) {
    for (const target of importsOf(path, text)) {
      if (dirname(target) !== dirname(path)) continue
      if (placeOf(path) !== -1 && placeOf(target) > placeOf(path)) wrong.push(`${path}: ${target}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('product imports: no development-only library', async () => {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'))
  const wrong = product().flatMap(({ path, text }) =>
    librariesOf(text)
      .filter(library => path !== WRITES_PROGRAMS && !Object.hasOwn(dependencies, library))
      .map(library => `${path}: ${library}`),
  )
  assert.deepEqual(wrong, [])
})

test('imports: no circle, by any path', async () => {
  const others = await sourcesOf('{bench,packages,scripts}/**/*.ts', 'packages/sdk/dist/**')
  const imported = new Map(
    [...product(), ...others].map(({ path, text }) => [path, importsOf(path, text)]),
  )
  const done = new Set<string>()
  const circles: string[] = []
  const follow = (path: string, way: readonly string[]) => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' > '))
    if (done.has(path) || way.includes(path)) return
    for (const target of imported.get(path) ?? []) follow(target, [...way, path])
    done.add(path)
  }
  for (const path of imported.keys()) follow(path, [])
  assert.deepEqual(circles, [])
})

/** Named so, or saying so in its first comment: "Pure." or "as pure functions". */
function isPure({ path, text }: Source): boolean {
  const [header = ''] = /^(\/\/[^\n]*\n)+/.exec(text) ?? []
  return /\/(rules|terms|postings|transition|states)\.ts$/.test(path) || /\bpure\b/i.test(header)
}

test('files marked Pure: no await, clock, random number, environment variable, SQL or HTTP', () => {
  const impure =
    /\basync\b|\bawait\b|Date\.now|new Date\(\)|Math\.random|random|process\.|from '.*\/(store|operations|routes|connect)\.ts'|from '(?:\.\.\/)+(?:db|http|engine)\//
  const pure = product().filter(isPure)
  assert.ok(pure.length > 40)
  const wrong = pure.filter(({ text }) =>
    impure.test(withoutComments(text).replace(/^import type [^'"]*'[^']+'$/gm, '')),
  )
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('no floating-point arithmetic near money, no leftovers, no silenced types', () => {
  const leftovers =
    /parseFloat|Math\.round|toFixed|\bTODO\b|\bFIXME\b|\bXXX\b|@ts-ignore|@ts-expect-error|\bas any\b|console\.log/
  const own = product().filter(({ path }) => path !== WRITES_PROGRAMS)
  const wrong = own.flatMap(({ path, lines }) =>
    lines.flatMap((line, i) => (leftovers.test(line) ? [`${path}:${i + 1}`] : [])),
  )
  assert.deepEqual(wrong, [])
})

/** An import of one name cannot be broken. */
const isWide = (line: string) => line.length > MAX_LINE_WIDTH && !/^import [^']*'[^']+'$/.test(line)

test(`files: at most ${MAX_FILE_LINES} lines, lines at most ${MAX_LINE_WIDTH} characters`, () => {
  const long = product()
    .filter(({ lines }) => lines.length > MAX_FILE_LINES + 1)
    .map(({ path, lines }) => `${path}: ${lines.length}`)
  const wide = product().flatMap(({ path, lines }) =>
    lines.flatMap((line, i) => (isWide(line) ? [`${path}:${i + 1}`] : [])),
  )
  assert.deepEqual([...long, ...wide], [])
})

test(`functions: at most ${MAX_FUNCTION_LINES} lines`, () => {
  const long = product().flatMap(({ path, lines }) =>
    functionsOf(lines)
      .filter(({ length }) => length > MAX_FUNCTION_LINES)
      .map(({ start, length }) => `${path}:${start + 1} has ${length} lines`),
  )
  assert.deepEqual(long, [])
})

test('files: each opens with a comment on its content', () => {
  const bare = product().filter(({ lines }) => !/^(\/\/|\/\*\*|#!)/.test(lines[0] ?? ''))
  assert.deepEqual(
    bare.map(({ path }) => path),
    [],
  )
})

/** Functions and methods by their indentation, which the formatter makes reliable. */
function functionsOf(lines: readonly string[]) {
  const found: { start: number; length: number }[] = []
  lines.forEach((line, start) => {
    const opening =
      /^( *)(export )?(async )?function\b|^( +)(static |async |#)*\w+\(.*\).*\{$/.exec(line)
    if (opening === null) return
    const indent = opening[1] ?? opening[4] ?? ''
    if (/^ *(if|for|while|switch|return)\b/.test(line)) return
    const end = lines.findIndex(
      (l, i) => i > start && l.startsWith(`${indent}}`) && !l.startsWith(`${indent}})`),
    )
    if (end !== -1) found.push({ start, length: end - start + 1 })
  })
  return found
}

test('SDK: small files with a first comment, no import from outside its folder', async () => {
  const paths = await Array.fromAsync(glob(CLIENT))
  const wrong: string[] = []
  for (const path of paths) {
    const text = await readFile(path, 'utf8')
    const lines = text.split('\n')
    const foreign = [...text.matchAll(/from '([^']+)'/g)].filter(
      ([, to]) => !/^\.\/(?:emitted\/)?\w+\.ts$/.test(`${to}`),
    )
    const isTidy = lines.length <= MAX_FILE_LINES && lines[0]?.startsWith('//') === true
    if (!isTidy || foreign.length > 0) wrong.push(path)
    const long = functionsOf(lines).filter(({ length }) => length > MAX_FUNCTION_LINES)
    if (long.length > 0 || lines.some(line => line.length > MAX_LINE_WIDTH)) wrong.push(path)
  }
  assert.ok(paths.length > 6)
  assert.deepEqual(wrong, [])
})

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/.*$/gm, '')
}

test('statements reviewed for a distributed database: each is in its file, or in a function of the schema', async () => {
  const bare = (text: string) => text.replaceAll(/\$(\{[^}]*\}|\d+)/g, '$').replaceAll(/\s+/g, ' ')
  const schema = bare(await readFile('docs/schema.sql', 'utf8'))
  const gone = REVIEWED.filter(({ file, says, composed }) => {
    const texts = product().filter(({ path }) => path.startsWith(file))
    const isThere = texts.some(({ text }) => composed || bare(text).includes(bare(says)))
    return !isThere && !(texts.length > 0 && schema.includes(bare(says)))
  })
  assert.deepEqual(gone, [])
})
