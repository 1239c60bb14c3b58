// corridor screening check. The other commands are actions.
import { type Command, Option } from 'commander'
import { screening } from '../operator/screening.ts'
import { scoredLines } from '../operator/screening-words.ts'
import { THRESHOLD } from '../screening/evidence.ts'
import { listEntries, listNewest } from '../screening/list-store.ts'
import { countryOf } from '../screening/lists/format.ts'
import { Screener } from '../screening/screener.ts'
import type { Hit, Party } from '../screening/screening.ts'
import { commandsOf } from './action.ts'
import { addCommand, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { DEFAULT_LIMIT, readLimit, readText } from './input.ts'

const MAX_NAME = 500

const CHECK_HELP = `
Prints who it may be, best first, with the score in pieces. From ${THRESHOLD} of 1000
on a person must look; --least shows those below as well. Nothing is stored.

Examples:
  corridor screening check "Viktor Bout"
  corridor screening check "Bank Rossiya" --kind organisation --country RU
  corridor screening check "V. A. But" --born 1967-01-13 --least 700`

export function screeningCommands(group: Command): void {
  addCommand(group, 'check', 'ask the imported sanctions lists about a name, and explain the score')
    .argument('<name>', 'the name, in any script')
    .addOption(
      new Option('--kind <kind>', 'what it is the name of').choices(['person', 'organisation']),
    )
    .option('--born <date>', 'birth date, YYYY-MM-DD')
    .option('--country <country>', 'a country that it belongs to, as code or English name')
    .option('--id <number>', 'number of a passport, an identity card or a registration')
    .option('--least <score>', 'the lowest score to show, 1 to 1000', String(THRESHOLD))
    .option('--limit <count>', 'most to show', readLimit, DEFAULT_LIMIT)
    .addHelpText('after', CHECK_HELP)
    .action(checkAction)
  commandsOf(screening)(group)
}

interface CheckOptions {
  readonly kind?: 'person' | 'organisation'
  readonly born?: string
  readonly country?: string
  readonly id?: string
  readonly least: string
  readonly limit: number
}

async function checkAction(name: string, options: CheckOptions): Promise<void> {
  const party = readParty(name, options)
  const least = /^\d{1,4}$/.test(options.least) ? Number(options.least) : 0
  if (least < 1 || least > 1000) throw new UsageError('--least is a whole number from 1 to 1000')
  const { lists, newest } = await withContext(async ({ audit }) => ({
    lists: await listEntries(audit),
    newest: await listNewest(audit),
  }))
  if (lists.length === 0) {
    throw new CommandFailed('no list is imported: corridor lists import says how')
  }
  const screener = await Screener.of(lists)
  const hits = screener.screen(party, least).slice(0, options.limit)
  const versions = newest.map(({ list, version, published_on, is_sample: sample }) => {
    return { list, version, published_on, sample }
  })
  const list_words = newest.map(({ list, published_on }) => `${list} of ${published_on}`).join(', ')
  const hit_words = hits.length === 0 ? [`nobody from ${least} of 1000 on`] : hits.map(wordsOf)
  const shown_hits = hits.map(({ list, entry, name, score, pieces }) => {
    return { list, entry_id: entry.entry_id, name, score, pieces, entry }
  })
  const data = { threshold: THRESHOLD, lists: versions, hits: shown_hits }
  print(data, [...hit_words, `lists: ${list_words}`].join('\n\n'))
}

function readParty(name: string, { kind, born = '', country, id }: CheckOptions): Party {
  const code = country === undefined ? '' : countryOf(country)
  if (country !== undefined && code === '') throw new UsageError(`unknown country ${country}`)
  if (born !== '' && !isDate(born)) {
    throw new UsageError(`--born "${born}" is not a date such as 1967-01-13`)
  }
  return {
    name: readText('the name', name, MAX_NAME),
    kind: kind ?? 'unknown',
    birth_date: born,
    countries: code === '' ? [] : [code],
    ids: id === undefined ? [] : [{ kind: 'other', number: id, country: code }],
  }
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    !Number.isNaN(time) &&
    new Date(time).toISOString().startsWith(text)
  )
}

function wordsOf({ list, entry, name, score, pieces }: Hit): string {
  const listed = entry.names[0]?.text ?? ''
  const also = name === listed ? '' : `, by "${name}"`
  const why = entry.programmes.length === 0 ? '' : ` (${entry.programmes.join(', ')})`
  const head = `${score}  ${list} ${entry.entry_id}  ${listed}${also}${why}`
  return scoredLines(head, pieces)
}
