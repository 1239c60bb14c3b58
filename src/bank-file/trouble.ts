// Trouble with a file or a rail: what a person is told about it, and the command that comes next.
// Pure.
import type { Instant } from '../instant.ts'

const MEANINGS = {
  file_unknown: 'it may have arrived: ask the bank',
  file_rejected: 'the bank has refused it, and its payouts wait',
  file_to_release: 'it waits for its release',
  file_release_late: 'it waits for its release, and the cut-off of its day has passed',
  file_not_sent: 'it must not go as it is',
  rail_problem: 'files cannot be sealed, exchanged or read',
  report_quarantined: 'nothing of this file of the bank is applied',
  lines_set_aside: 'lines of this file of the bank are not applied',
} as const
export type FileTrouble = keyof typeof MEANINGS

export interface FoundTrouble {
  readonly rail: string
  readonly kind: FileTrouble
  /** The message id of a file, the hash of a report in hex digits, or the rail. */
  readonly about: string
  readonly message: string
  readonly since: Instant
  /** The hash of a file for the bank, in hex digits; '' for other trouble. */
  readonly sha256: string
}

const HASH_DIGITS = 12

/** What has happened: the meaning of the kind, and the words of the bank or of the far end. */
export function wordsOf({ kind, message }: FoundTrouble): string {
  return message === '' ? MEANINGS[kind] : `${MEANINGS[kind]} (${message})`
}

/** The command to type once the cause is known. */
export function nextCommand({ kind, about, rail, message, sha256 }: FoundTrouble): string {
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
