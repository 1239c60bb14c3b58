// The pages of failure codes: those of payouts, and those of banks. Pure.
import {
  codesOf,
  type Reason,
  type ReasonCause,
  reasonOf,
  type Scheme,
} from '../values/bank-format/reason.ts'
import { FAILURES, type FailureCause, failureOfCause, isFailureCause } from '../values/failures.ts'
import { anchorOf, type Page, pageOf } from './page.ts'

const SCHEMES = [
  ['nacha', 'Return and change codes of ACH (Nacha)'],
  ['iso20022', 'Reason codes of ISO 20022'],
] as const

/** The place of a failure code, in capitals as payouts show it. */
export function placeOfFailure(code: string): string | undefined {
  return FAILURES.has(code) ? `failure-codes#${anchorOf(code)}` : undefined
}

/** One code at a time. */
export function* failurePages(): Generator<void, Page[]> {
  const codes = new Map<string, string[]>()
  const banks: string[] = []
  for (const [scheme, title] of SCHEMES) {
    banks.push(`## ${title}`)
    for (const code of codesOf(scheme)) {
      yield
      banks.push(bankText(scheme, code))
      const { cause } = reasonOf(scheme, code) ?? {}
      if (cause === undefined || !isFailureCause(cause)) continue
      for (const status of ['failed', 'reversed'] as const) {
        codes.getOrInsertComputed(failureOfCause(cause, status).code, () => []).push(code)
      }
    }
  }
  yield
  const banks_page = pageOf('bank-codes', 'Reference', `${[BANKS, ...banks].join('\n\n')}\n`)
  return [failuresPage(codes), banks_page]
}

const BANKS = `# Reason codes of banks

What a bank means by the code of a refused or returned payment, and the failure of the payout.

The message of a failure has the bank’s own code in brackets.
[Failure codes](/docs/failure-codes) says what to do.`

function failuresPage(codes: ReadonlyMap<string, readonly string[]>): Page {
  const sections = KINDS.map(([beginning, title, intro]) => {
    const own = [...FAILURES].filter(([code]) => code.startsWith(beginning))
    const texts = own.map(([code, { category, meaning, fix }]) => {
      const by = codes.get(code) ?? []
      const given = by.length === 0 ? '' : `\n\n**Codes of banks.** ${by.join(', ')}.`
      return `### ${code}\n\n*Category ${category}.* ${meaning}\n\n**What to do.** ${fix}${given}`
    })
    return [`## ${title}`, intro, ...texts].join('\n\n')
  })
  return pageOf(
    'failure-codes',
    'Reference',
    `# Failure codes

Why a payout failed or was returned, by \`failure.code\`, and what to do about it.

Decide by \`failure.code\`, which stays; \`failure.message\` is for people. An operator may give
another code by hand. [Errors](/docs/errors) has the refusals of requests.

${sections.join('\n\n')}
`,
  )
}

const KINDS = [
  [
    'PF',
    'Failed payouts: PF',
    'The payout was not paid. Its money, with the fees, is back in the balance.',
  ],
  [
    'PR',
    'Returned payouts: PR',
    'The payout was paid, and the money came back later. It is in the balance again.',
  ],
  ['OP', 'Ended by the operator: OP', 'A person of the operator set the state by hand.'],
] as const

function bankText(scheme: Scheme, code: string): string {
  const reason = reasonOf(scheme, code)
  const back = reasonOf(scheme, code, true)
  const again =
    reason === undefined || back === undefined || back === reason
      ? ''
      : `\n\n**When money comes back.** ${meaningOf(back)}`
  return `### ${code}\n\n${reason === undefined ? '' : meaningOf(reason)}${again}`
}

function meaningOf({ cause, words }: Reason): string {
  if (!isFailureCause(cause)) return `${words} ${WITHOUT_FAILURE[cause]}`
  const [failed, reversed] = [failureOfCause(cause, 'failed'), failureOfCause(cause, 'reversed')]
  return `${words} Leads to \`${failed.code}\`, and after success to \`${reversed.code}\`.`
}

const WITHOUT_FAILURE: Readonly<Record<Exclude<ReasonCause, FailureCause>, string>> = {
  positive: 'No payout fails by it.',
  answer: 'The banks settle it between them; no payout fails by it.',
  change: 'The payout goes on; correct the beneficiary for later payouts.',
  refused_change: 'The payout goes on; the bank does not take the change.',
}
