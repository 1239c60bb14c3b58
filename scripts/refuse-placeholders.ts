// Part of `npm run check`: fails when a document holds a placeholder. It knows which documents
// people read; `faultsOf` is pure, so that its test can plant placeholders.
import { glob, readFile } from 'node:fs/promises'

const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md']

/**
 * Words in capitals with an underscore that are no placeholders: variables, tables, PostgreSQL's
 * keywords, a kind of key.
 */
const KNOWN =
  /^(?:CORRIDOR|OTEL|NODE|POSTGRES|TEST|XDG)_[A-Z0-9_]+$|^(?:DATABASE_URL(?:_FILE)?|CITUS_URL|SUDO_USER|LOG_LEVEL|NO_COLOR|BASE_BACKUP)$|_TRANSITIONS$|^ECC_SECG_P256K1$/

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

/**
 * Whether a word is no placeholder: a name with small letters, such as `payout_batch`, or a known
 * word.
 */
function isMeant(word: string): boolean {
  return word.includes('_') && (word !== word.toUpperCase() || KNOWN.test(word))
}

/**
 * The descriptions and summaries of openapi.json: people read these, and names and patterns belong
 * to the code.
 */
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
