// The interface by which files are exchanged with a bank, through a folder or an SFTP server. Knows
// names, sizes and bytes, and no contents.
import { hash } from 'node:crypto'

export interface RemoteFile {
  readonly name: string
  readonly size: number
}

/** One open connection. Every call rejects with TransportFailed when the far end fails. */
export interface Transport {
  /** The size of a file in the outbox; undefined when there is none. */
  sizeOf(name: string): Promise<number | undefined>
  /**
   * Writes a new file into the outbox, durably. Rejects when the name is taken. A failure may leave
   * a part of the file behind.
   */
  write(name: string, bytes: Uint8Array): Promise<void>
  remove(name: string): Promise<void>
  /** Renames a file of the outbox. Rejects, without a change, when the name is taken. */
  rename(from: string, to: string): Promise<void>
  /** The finished files of the inbox, sorted by name. */
  list(): Promise<RemoteFile[]>
  read(name: string): AsyncIterable<Uint8Array>
  /** Moves a file from the inbox into the archive. */
  archive(name: string): Promise<void>
  /** The text of a small file of ours in the archive; undefined when there is none. */
  readNote(name: string): Promise<string | undefined>
  /** Writes a small file of ours into the archive, in place of an earlier one. */
  writeNote(name: string, text: string): Promise<void>
  close(): Promise<void>
}

/** The far end failed. The effect of the call is not known. */
export class TransportFailed extends Error {
  override readonly name: string = 'TransportFailed'
}

/** The server has another host key than the known one. Nothing was sent. */
export class HostKeyChanged extends TransportFailed {
  override readonly name = 'HostKeyChanged'
}

/** Another file has the name of ours. */
export class NameTaken extends TransportFailed {
  override readonly name = 'NameTaken'
}

/** The ending of a name until the file is complete. Banks ignore such files. */
export const PARTIAL = '.tmp'

/** Whether a name may be a report's: not a hidden or an unfinished file's. */
export function isReport(name: string): boolean {
  return !name.startsWith('.') && !/\.(?:tmp|part|filepart|lock)$/i.test(name)
}

/** The most bytes of a note. */
export const NOTE_BYTES = 200

/** The message of a failure, without a stack. */
export function failureWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Joins failures into one. It is a TransportFailed if all of them are. */
export function joinFailures(failures: readonly unknown[]): unknown {
  if (failures.length === 1) return failures[0]
  const words = failures.map(failureWords).join('; ')
  const unexpected = failures.find(failure => !(failure instanceof TransportFailed))
  return unexpected === undefined
    ? new TransportFailed(words)
    : new Error(words, { cause: unexpected })
}

/** The most bytes of a name on the usual file systems. */
const NAME_BYTES = 255

/**
 * The file's name in the archive, with the time: a bank may use one name twice. A name that leaves
 * no room for the time is cut, and has the beginning of its hash.
 */
export function archiveName(name: string, at: Date): string {
  const stamp = `${at.toISOString().replaceAll(/[-:.]/g, '')}-`
  const room = NAME_BYTES - stamp.length
  if (Buffer.byteLength(name) <= room) return stamp + name
  const digest = `-${hash('sha256', name).slice(0, 16)}`
  let short = ''
  for (const character of name) {
    if (Buffer.byteLength(short + character) > room - digest.length) break
    short += character
  }
  return stamp + short + digest
}
