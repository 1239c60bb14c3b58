// Screening in words, for the command line: a held object, its parties, and the listed entries that
// they may be. Pure.
import { digestOfMatches, type StoredMatch } from '../screening/match.ts'
import type { NamedParty } from '../screening/parties.ts'
import { LIST_TITLES, type ListedEntry } from '../screening/screening.ts'
import { toSecond } from '../values/text/age.ts'
import { visible } from '../values/text/visible.ts'
import type { ShownMatch, ShownScreening } from './screened.ts'

export function screeningWords(shown: ShownScreening): string {
  const hold = shown.of === 'payout' ? holdWords(shown) : PARTY_WORDS[shown.of][shown.screening]
  const digest = digestOfMatches(shown.matches)
  return [
    `${shown.id}  ${shown.status}; ${hold}`,
    ...(digest === '' ? [] : [`digest  ${digest}`]),
    ...shown.matches.map(match => matchWords(match, shown.parties)),
  ].join('\n\n')
}

const NOTHING = 'nothing of it waits for a person'

const PARTY_WORDS: Readonly<Record<'entity' | 'beneficiary', Readonly<Record<string, string>>>> = {
  entity: {
    '': NOTHING,
    open: 'not approved until a person has cleared or confirmed what was found',
    confirmed: 'listed: it is not approved, and payouts for it are held',
  },
  beneficiary: {
    '': NOTHING,
    open: 'may be listed: payouts to it are held until a person clears them',
    confirmed: 'listed: payouts to it are held',
  },
}

function holdWords({ screening, screened, is_open }: ShownScreening): string {
  switch (screening) {
    case 'open':
      return 'held until a person has cleared or confirmed what was found'
    case 'confirmed':
      return 'blocked: somebody of it is listed'
    default:
      if (!is_open) return 'screening holds it no more'
      return screened === null ? 'waits to be screened' : `screened at version ${screened}`
  }
}

function matchWords(match: ShownMatch, parties: readonly NamedParty[]): string {
  const { list, entry_id, entry, listed, listed_name, score, pieces, state } = match
  const party = parties.find(({ party }) => party === match.party)
  const lines: [string, string | undefined][] = [
    ['party', party && partyWords(party)],
    ['changed', match.party_changed ? 'the data compared were others' : undefined],
    ['listed', listed_name + (entry ? otherNames(entry, listed_name) : '')],
    ['', entry && knownWords(entry.kind, entry.births.map(birthWords), entry)],
    ['list', LIST_TITLES[list]],
    ['programmes', entry?.programmes.join(', ')],
    ['remarks', entry?.remarks],
    ...match.earlier.map(earlierLine),
  ]
  const named = `${match.party}, ${list} ${entry_id}${listed ? '' : ' (delisted)'}`
  const head = `${score}  ${named}: ${decided(match) || state}`
  const shown = lines.flatMap(([name, text]) => (text ? [`  ${name.padEnd(11)}${text}`] : []))
  return [visible(head), ...shown.map(visible), scoredLines('  score', pieces)].join('\n')
}

function earlierLine(decision: ShownMatch['earlier'][number]): [string, string] {
  return ['earlier', `${decision.object_id} ${decided(decision)}`]
}

function partyWords({ query, address }: NamedParty): string {
  const { name, kind, birth_date } = query
  const known = knownWords(kind, birth_date === '' ? [] : [birth_date], query)
  return [name, known, address].filter(Boolean).join('; ')
}

function otherNames({ names }: ListedEntry, fitted: string): string {
  const others = names.filter(({ text }) => text !== fitted)
  const words = others.map(({ text, weak }) => (weak ? `${text} (weak)` : text))
  return words.length === 0 ? '' : `; also ${words.join(', ')}`
}

function knownWords(
  kind: string,
  births: readonly string[],
  { countries, ids }: Pick<ListedEntry, 'countries' | 'ids'>,
): string {
  const numbers = ids.map(({ kind, number, country }) => `${kind} ${number} ${country}`.trim())
  const born = births.length === 0 ? [] : [`born ${births.join(' or ')}`]
  return [kind, ...born, countries.join(' '), ...numbers].filter(Boolean).join(', ')
}

function birthWords({ from, to }: ListedEntry['births'][number]): string {
  return from === to ? from : `${from} to ${to}`
}

/** A person's decision; '' for none. */
function decided({
  state,
  decided_by,
  decided_at,
  reason,
}: Pick<StoredMatch, 'state' | 'decided_by' | 'decided_at' | 'reason'>): string {
  return decided_at === null
    ? ''
    : `${state} by ${decided_by} at ${toSecond(decided_at)}: ${reason}`
}

export function scoredLines(head: string, pieces: StoredMatch['pieces']): string {
  const below = pieces.map(({ score, text }) => `  ${String(score).padStart(4)}  ${text}`)
  return [head, ...below].map(visible).join('\n')
}
