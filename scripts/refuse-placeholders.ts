// Part of `npm run check`: no document goes out with a word in it that stands for one still to be
// found. Knows which documents are read; `faultsOf` is pure, so that its test can plant some.
import { glob, readFile } from 'node:fs/promises'

const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md']

/** No placeholders, though in capitals with an underscore: variables, tables, PostgreSQL's words. */
const KNOWN =
  /^(?:CORRIDOR|OTEL|NODE|POSTGRES|TEST|XDG)_[A-Z0-9_]+$|^(?:DATABASE_URL|CITUS_URL|LOG_LEVEL|NO_COLOR|BASE_BACKUP)$|_TRANSITIONS$/

const PLACEHOLDERS =
  /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b(?:TBD|TBC|TODO|FIXME|XXX|xxx+)\b|\blorem ipsum\b|\?\?/gi

/** `file:line word` of each placeholder. */
export function faultsOf(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, i) =>
    [...line.matchAll(PLACEHOLDERS)]
      .map(([word]) => word)
      .filter(word => !isMeant(word))
      .map(word => `${file}:${i + 1} ${word}`),
  )
}

/** Names in small letters, such as `payout_batch`, are no capitals; others are known. */
function isMeant(word: string): boolean {
  return word.includes('_') && (word !== word.toUpperCase() || KNOWN.test(word))
}

/** Descriptions are what people read of it; names and patterns are the code's. */
function descriptionsIn(document: string): string {
  return [...document.matchAll(/"(?:description|summary)": "((?:[^"\\]|\\.)*)"/g)]
    .map(([, words]) => words)
    .join('\n')
}

async function findFaults(): Promise<string[]> {
  const files = (await Array.fromAsync(glob(DOCUMENTS))).sort()
  const faults = await Promise.all(
    files.map(async file => faultsOf(file, await readFile(file, 'utf8'))),
  )
  const described = descriptionsIn(await readFile('openapi.json', 'utf8'))
  return [...faults.flat(), ...faultsOf('openapi.json, description', described)]
}

if (import.meta.main) {
  const faults = await findFaults()
  for (const fault of faults) process.stderr.write(`a placeholder: ${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
