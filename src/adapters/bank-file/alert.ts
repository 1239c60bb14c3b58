// Alerts about a file or a rail: its text for people, and the command that comes next. Pure.
import type { Instant } from '../../values/instant.ts'

const TITLES = {
  file_unknown: 'it may have arrived: ask the bank',
  file_rejected: 'the bank has refused it, and its payouts wait',
  file_to_release: 'it waits for its release',
  file_release_late: 'it waits for its release, and the cut-off of its day has passed',
  file_not_sent: 'it must not be sent as it is',
  rail_problem: 'files cannot be sealed, exchanged or read',
  report_quarantined: 'nothing of this file of the bank is applied',
  lines_set_aside: 'lines of this file of the bank are not applied',
} as const
export type FileAlert = keyof typeof TITLES

export interface FoundAlert {
  readonly rail: string
  readonly kind: FileAlert
  /** The message id of a file, the hash of a report in hex digits, or the rail. */
  readonly about: string
  readonly message: string
  readonly since: Instant
  /** The hash of a file for the bank, in hex digits; '' for other alerts. */
  readonly sha256: string
}

const HASH_DIGITS = 12

/** The alert in words: the title of its kind, and the message of the bank or the far end. */
export function alertWords({ kind, message }: FoundAlert): string {
  return message === '' ? TITLES[kind] : `${TITLES[kind]} (${message})`
}

/** The command to run once a person knows the cause. */
export function nextCommand({ kind, about, rail, message, sha256 }: FoundAlert): string {
  const file = (verb: string) => `corridor file ${verb} ${about}`
  const report = about.slice(0, HASH_DIGITS)
  switch (kind) {
    case 'file_unknown':
      return `${file('resend')} --force --reason …`
    case 'file_rejected':
      return `${file('reseal')} --reason …`
    case 'file_to_release':
      return `${file('release')} --sha256 ${sha256}`
    case 'file_release_late':
    case 'file_not_sent':
      return `${file('withdraw')} --reason …`
    case 'rail_problem':
      return /has the host key/.test(message)
        ? `corridor rail add ${rail} --replace …`
        : `corridor rail show ${rail}`
    case 'report_quarantined':
      return `corridor file read ${report}`
    case 'lines_set_aside':
      return `corridor file close ${report} --note …`
  }
}
