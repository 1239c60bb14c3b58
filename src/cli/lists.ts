// corridor lists import: imports sanctions lists from files. The other command is an action.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { lists, presentVersion } from '../operator/lists.ts'
import { ImportRefused, type ImportRequest, importList } from '../screening/import.ts'
import type { ListVersion } from '../screening/list.ts'
import { LISTS, type ListName } from '../screening/screening.ts'
import { UnreadableFile } from '../values/bank-format/bank-format.ts'
import { commandsOf } from './action.ts'
import { addCommand, type Context, personOf, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { MAX_REASON, oneOf, readReason } from './input.ts'

const REASON = `take a file that looks wrong: why, up to ${MAX_REASON} characters`

const SAMPLE_FOLDER = new URL('../screening/sample/', import.meta.url)

/** The lists of the shipped sample: each is SAMPLE_FOLDER/NAME.xml. */
const SAMPLE_LISTS: readonly ListName[] = ['ofac', 'un', 'eu', 'uk']

const IMPORT_HELP = `
Files as their publishers have them:
  ofac       SDN.XML or SDN_ADVANCED.XML
  ofac-cons  CONSOLIDATED.XML or CONS_ADVANCED.XML, all but the SDN
  un         the consolidated list as XML
  eu         the consolidated list of financial sanctions, full XML 1.1
  uk         the UK Sanctions List as XML
The advanced files of OFAC have names in their original scripts: prefer them.

A file replaces the whole list. One that is older than what is here, or lacks
more than a tenth of it, is refused; --reason takes it all the same, and keeps
your name (CORRIDOR_USER) and the reason with it.

The sample is for trying it out in sandboxes, and says nothing of who is listed.

Examples:
  corridor lists import SDN_ADVANCED.XML --list ofac
  corridor lists import --sample`

export function listsCommands(group: Command): void {
  addCommand(group, 'import', 'import a sanctions list from a file as its publisher has it')
    .argument('[file]', 'the file')
    .option('--list <list>', `which list it is: ${LISTS.join(', ')}`, oneOf('list', LISTS))
    .option('--sample', 'import the shipped sample of each list in place of a file')
    .option('--reason <text>', REASON, readReason)
    .addHelpText('after', IMPORT_HELP)
    .action(importAction)
  commandsOf(lists)(group)
}

interface ImportOptions {
  readonly list?: ListName
  readonly sample?: boolean
  readonly reason?: string
}

async function importAction(file: string | undefined, options: ImportOptions): Promise<void> {
  const versions =
    options.sample === true ? await importSample(file, options) : [await importFile(file, options)]
  print({ imported: versions.map(presentVersion) }, versions.map(versionWords).join('\n'))
}

async function importSample(file: string | undefined, { list, reason }: ImportOptions) {
  if (file !== undefined || list !== undefined || reason !== undefined) {
    throw new UsageError('--sample imports what is shipped: leave out the file and other options')
  }
  return withContext(async context => {
    const versions: ListVersion[] = []
    for (const list of SAMPLE_LISTS) {
      const chunks = createReadStream(fileURLToPath(new URL(`${list}.xml`, SAMPLE_FOLDER)))
      const imported_by = context.config.user
      const sample = { list, file_name: `sample ${list}.xml`, is_sample: true, reason: '' }
      versions.push(await tryImport(context, { ...sample, chunks, imported_by }))
    }
    return versions
  })
}

async function importFile(file: string | undefined, { list, reason = '' }: ImportOptions) {
  if (file === undefined) throw new UsageError('a file is missing: which list is to be imported?')
  if (list === undefined) {
    throw new UsageError(`say which list the file is: --list ${LISTS.join('|')}`)
  }
  return withContext(context => {
    const imported_by = reason === '' ? context.config.user : personOf(context)
    const named = { list, file_name: basename(file), is_sample: false, reason, imported_by }
    return tryImport(context, { ...named, chunks: createReadStream(file) })
  })
}

async function tryImport({ sql }: Context, request: ImportRequest): Promise<ListVersion> {
  try {
    return await importList(sql, request)
  } catch (error) {
    const refused = error instanceof ImportRefused
    if (!refused && !(error instanceof UnreadableFile)) throw error
    const hint = refused && !request.is_sample ? '; --reason "…" takes it all the same' : ''
    throw new CommandFailed(`${request.file_name}: ${error.message}; nothing was imported${hint}`)
  }
}

function versionWords(version: ListVersion): string {
  const { list, entry_count, name_count, added, changed, removed, published_on } = version
  return (
    `${list}  version ${version.version}, published on ${published_on}: ` +
    `${entry_count} entries with ${name_count} names; ` +
    `${added} added, ${changed} changed, ${removed} removed${leftOutWords(version)}`
  )
}

function leftOutWords({ left_out_count, left_out }: ListVersion): string {
  if (left_out_count === 0) return ''
  const more = left_out_count - left_out.length
  const named = [...left_out, ...(more === 0 ? [] : [`and ${more} more`])]
  return `; ${left_out_count} left out:${named.map(line => `\n  ${line}`).join('')}`
}
