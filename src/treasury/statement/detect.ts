// Tells the format of a statement by its first bytes, and names its reader. Pure.
import { bai2Reader } from './bai2.ts'
import { camtReader } from './camt.ts'
import { mt940Reader } from './mt940.ts'
import type { StatementReader } from './statement.ts'

/** How many bytes tell the format. */
export const HEAD_BYTES = 4096

/** Undefined for bytes that begin none of the formats of banks; CSV needs a mapping. */
export function detectFormat(head: Uint8Array): StatementReader | undefined {
  const text = Buffer.from(head.subarray(0, HEAD_BYTES))
    .toString('latin1')
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    // UTF-16 of such texts has a zero in every second byte.
    .replaceAll('\0', '')
    .trimStart()
  if (text.startsWith('<')) return camtReader
  if (/^01,[^\r\n]*,/.test(text)) return bai2Reader
  // A message may stand in blocks of SWIFT, and a reference before its fields.
  if (/^(?:\{1:|:(?:20|25P?|28C?|60[FM]):)/.test(text)) return mt940Reader
  return /^[^\r\n]{0,80}\r?\n?:20:/.test(text) ? mt940Reader : undefined
}
