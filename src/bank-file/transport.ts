// Where files of a bank are exchanged: a folder or an SFTP server. Knows names, sizes and bytes,
// but not what is in a file.

export interface RemoteFile {
  readonly name: string
  readonly size: number
}

/** One open connection. Every call rejects with TransportFailed when the far end does not do it. */
export interface Transport {
  /** The size of a file in the outbox; undefined when there is none. */
  sizeOf(name: string): Promise<number | undefined>
  /**
   * Writes a new file into the outbox, durably. Rejects when a file of that name exists. A failure
   * may leave a part of the file behind.
   */
  write(name: string, bytes: Uint8Array): Promise<void>
  remove(name: string): Promise<void>
  /** Gives a file of the outbox its name. Rejects, and changes nothing, when the name is taken. */
  rename(from: string, to: string): Promise<void>
  /** The files of the inbox, by name, except those that are still being written. */
  list(): Promise<RemoteFile[]>
  read(name: string): AsyncIterable<Uint8Array>
  /** Moves a file from the inbox into the archive. */
  archive(name: string): Promise<void>
  close(): Promise<void>
}

/** The far end did not do what it was asked; nobody knows what it has done. */
export class TransportFailed extends Error {
  override readonly name: string = 'TransportFailed'
}

/** The server has another key than the known one. It was sent nothing. */
export class HostKeyChanged extends TransportFailed {
  override readonly name = 'HostKeyChanged'
}

/** A file of this name exists, with other bytes than ours. */
export class NameTaken extends TransportFailed {
  override readonly name = 'NameTaken'
}

/** The ending of a name while the file is being written; banks pass over it. */
export const PARTIAL = '.tmp'

/**
 * Whether a name may be a report's: it does not begin with a full stop, and is not an unfinished
 * file's.
 */
export function isReport(name: string): boolean {
  return !name.startsWith('.') && !/\.(?:tmp|part|filepart|lock)$/i.test(name)
}

/** The words of a failure without a stack. */
export function failureWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** One failure for several. It is an expected one if all of them are. */
export function joined(failures: readonly unknown[]): unknown {
  if (failures.length === 1) return failures[0]
  const words = failures.map(failureWords).join('; ')
  const unexpected = failures.find(failure => !(failure instanceof TransportFailed))
  return unexpected === undefined
    ? new TransportFailed(words)
    : new Error(words, { cause: unexpected })
}

/**
 * A name for the archive with the time at which the file was taken, so that one name may come
 * twice.
 */
export function archiveName(name: string, at: Date): string {
  return `${at.toISOString().replaceAll(/[-:.]/g, '')}-${name}`
}
