// Mutants that behave like the source, each checked by hand. An entry without a mutant, or with a
// mutant that a test catches, fails the run.
import type { Mutant } from './mutate.ts'

interface Equivalent {
  /** The function; '' outside any function. */
  readonly where: string
  /** The mutated line, as the report prints it. */
  readonly after: string
  readonly why: string
}

const SAME_POWER = 'at scale 0 both sides divide by the same numbers'
const SORTED_ALIKE = 'ranks grow, and keep their order'
const SAME_VALUE = 'the replacement has the same value'
const ALWAYS_THERE = 'the value always exists; only the compiler needs a default'

export const EQUIVALENTS: Readonly<Record<string, readonly Equivalent[]>> = {
  'src/values/money/decimal.ts': [
    {
      where: 'parseDecimal',
      after: "const [, whole = 'mutant', fraction = ''] = match",
      why: ALWAYS_THERE,
    },
    {
      where: 'quotient',
      after: 'while (digits > pow10(significant)) {',
      why: 'digits rounded up to 1000… round to the same value with one digit less',
    },
    ...['> 0', '>= 1'].flatMap(bound => [
      {
        where: 'quotient',
        after: `return normalize(scale ${bound} ? { digits, scale } : { digits: digits * pow10(-scale), scale: 0 })`,
        why: SAME_POWER,
      },
      {
        where: 'scaled',
        after: `return scale ${bound} ? (n * pow10(scale)) / d : n / (d * pow10(-scale))`,
        why: SAME_POWER,
      },
    ]),
  ],
  'src/prices/fee/rules.ts': [
    { where: 'specificity', after: 'let rank = fee.sample ? 0 : 81', why: SORTED_ALIKE },
    {
      where: 'feeAmounts',
      after: 'if (variable <= minimum) variable = minimum',
      why: SAME_VALUE,
    },
    {
      where: 'feeAmounts',
      after: 'if (variable >= maximum) variable = maximum',
      why: SAME_VALUE,
    },
  ],
  'src/quotes/calculation.ts': [
    {
      where: 'decimalText',
      after:
        'const scale = (n * pow10(Math.max(wanted, 1))) / d < pow10(TRUNCATED_DIGITS) ? wanted : wanted - 1',
      why: 'at the bound both scales show one decimal place',
    },
    {
      where: 'divideOut',
      after: 'let [rest, count] = [number, 1]',
      why: 'an extra place is a trailing zero, which is not printed',
    },
  ],
  'src/quotes/basis.ts': [
    {
      where: 'rateOf',
      after: "const [base = 'mutant', quote = ''] = pair.split('/')",
      why: ALWAYS_THERE,
    },
    {
      where: 'rateOf',
      after: "const [base = '', quote = 'mutant'] = pair.split('/')",
      why: 'a pair is stored with both currencies',
    },
  ],
  'src/payouts/advance/progress.ts': [
    {
      where: 'railProgress',
      after:
        "if ((advance.by === 'review' || advance.by === 'approval') && applied === 0) " +
        'return undefined',
      why: 'spreading undefined into an object adds nothing',
    },
    {
      where: 'dueAt',
      after:
        'return claimed_until === null || claimed_until <= ask_rail_at ? ask_rail_at : claimed_until',
      why: SAME_VALUE,
    },
  ],
  'src/parties/entity/comparable.ts': [
    {
      where: 'comparable',
      after: 'if (false) return text.trim().toLowerCase()',
      why: 'a fast path with the same result, as a test checks',
    },
    {
      where: 'comparable',
      after: "const visible = text.replace(IGNORABLE, '').normalize('NFC')",
      why: 'no invisible character composes or moves; kept in the order of §duplicate.comparison',
    },
  ],
  'src/parties/entity/duplicates.ts': [
    {
      where: 'byCreation',
      after: 'if (a.created_at !== b.created_at) return a.created_at <= b.created_at ? -1 : 1',
      why: 'the two times differ here',
    },
    {
      where: 'byCreation',
      after: 'return a.id <= b.id ? -1 : 1',
      why: 'no two entities have one id',
    },
  ],
  'src/parties/entity/rules.ts': [
    {
      where: 'decideCreation',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      after: 'const before = state.imported.get(`${account_id}/${import_key}`)',
      why: 'no entity is stored under the key of no row',
    },
  ],
}

export function isEquivalent({ file, where, after }: Mutant): boolean {
  return (EQUIVALENTS[file] ?? []).some(e => e.where === where && e.after === after)
}

export const hasEquivalents = (file: string) => Object.hasOwn(EQUIVALENTS, file)

/** Entries that do not stand for exactly one of the mutants of their file. */
export function staleEquivalents(file: string, mutants: readonly Mutant[]): Equivalent[] {
  return (EQUIVALENTS[file] ?? []).filter(
    ({ where, after }) => mutants.filter(m => m.where === where && m.after === after).length !== 1,
  )
}
