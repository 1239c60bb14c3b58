// The words of a text as a search compares them: without endings, by one word for several of the
// same meaning. Pure.

/** Words that say nothing about the subject of a question. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about an and any are as at be been but by can could did do does for from get gets give given go
  had has have how i if in into is it its just like make many me mean means much must my need needs
  no not of on one or our out over please s said say see should so some t than that the their them
  then there these they thing things this those to too up use used was we were what when where which
  who why will with without would you your`.split(/\s+/),
)

/** Words that a reader may use for another one: the documentation may use any of a line. */
const SAME = `
  payout payment transfer transaction
  pay paid send sent
  expire expiry
  field member requirement required detail details parameter attribute
  beneficiary payee recipient supplier
  company business organisation
  fee cost charge charges commission
  rate exchange fx conversion convert
  exact exactly precise
  limit cap ceiling quota
  sanction sanctions screening watchlist ofac
  approve approval approver
  hold held stuck frozen blocked
  wait waiting pending
  fail failed failure unsuccessful
  refuse refused reject rejected rejection decline declined denied
  return returned reverse reversed reversal bounce bounced refund
  insufficient low enough missing
  retry repeat again resend
  repeat idempotency
  webhook callback notification
  verify verification check validate
  rotate renew replace revoke
  key credential credentials token
  login log password authentication
  delete remove erase
  cancel abort withdraw
  backup restore recover recovery
  sandbox test testing simulate simulator
  statement camt mt940 ledger
  reconcile reconciliation match
  download export
  upload import
  duplicate twice double
  schedule scheduled later future
  day daily
  month monthly
  arrive arrival eta
  error problem
  pagination paging cursor pages
  country countries
  currency currencies
  add create record
  change update edit modify
  console dashboard browser
  install setup start
  cutoff deadline
  metadata tag tags
  uk britain kingdom
  usa america states
  uae emirates
  momo mobile
`

/** The words of a text in small letters. A name with an underscore counts, and so do its parts. */
export function wordsOf(text: string): string[] {
  // A number keeps its digits together, and a dash joins nothing: `1,000` is 1000.
  const plain = text.toLowerCase().replace(/(?<=\d)[,’'](?=\d{3})/g, '')
  const folded = plain.normalize('NFD').replace(/\p{M}/gu, '')
  const names = folded.match(/[\p{L}\p{N}_]+/gu) ?? []
  return names
    .flatMap(name => (name.includes('_') ? [name, ...name.split('_')] : [name]))
    .filter(Boolean)
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

/** The endings that a word loses, each with the fewest letters that must remain. */
const ENDINGS: readonly (readonly [ending: RegExp, least: number])[] = [
  [/ations?$/, 4],
  [/ings?$/, 3],
  [/ions?$/, 5],
  [/als?$/, 5],
  [/ly$/, 4],
  [/ed$/, 3],
]

/** The word without its ending: `cancelled`, `cancels` and `cancellation` become `cancel`. */
export function stemOf(word: string): string {
  if (word.length < 4 || /[\d_]/.test(word)) return word
  let stem = word.replace(/ies$/, 'y').replace(/(?<=[^su])s$/, '')
  for (const [ending, least] of ENDINGS) {
    const rest = stem.replace(ending, '')
    if (rest === stem || rest.length < least || !/[aeiouy]/.test(rest)) continue
    stem = rest
    break
  }
  stem = stem.replace(/(?<=...)e$/, '').replace(/(?<=..)i$/, 'y')
  return stem.replace(/([^aeiou])\1$/, '$1')
}

const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = synonyms()

function synonyms(): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  for (const line of SAME.trim().split('\n')) {
    const stems = wordsOf(line).map(stemOf)
    for (const stem of stems) {
      const same = known.getOrInsertComputed(stem, () => new Set())
      for (const other of stems) if (other !== stem) same.add(other)
    }
  }
  return known
}

export function synonymsOf(stem: string): ReadonlySet<string> {
  return SYNONYMS.get(stem) ?? NONE
}

const NONE: ReadonlySet<string> = new Set()
