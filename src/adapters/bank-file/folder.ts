// Exchanges files through folders of this machine, such as a mounted share. A write or rename
// resolves once its bytes and names are on the disk.
import { createReadStream } from 'node:fs'
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../values/fsync.ts'
import {
  archiveName,
  failureWords,
  isReport,
  NameTaken,
  NOTE_BYTES,
  type RemoteFile,
  type Transport,
  TransportFailed,
} from './transport.ts'

export interface FolderConfig {
  readonly kind: 'folder'
  readonly outbox: string
  readonly inbox: string
  readonly archive: string
}

export async function openFolder(config: FolderConfig): Promise<Transport> {
  const { outbox, inbox, archive } = config
  const at = (name: string) => join(outbox, name)
  await perform('make the archive', () => mkdir(archive, { recursive: true }))
  return {
    sizeOf: name => perform(`look at ${name}`, () => sizeAt(at(name))),
    write: (name, bytes) => perform(`write ${name}`, () => writeDurably(at(name), bytes)),
    remove: name => perform(`remove ${name}`, () => rm(at(name), { force: true })),
    rename: (from, to) => perform(`name ${to}`, () => renameToFree(at(from), at(to))),
    list: () => perform('list the inbox', () => listReports(inbox)),
    read: name => readPieces(join(inbox, name)),
    archive: name =>
      perform(`archive ${name}`, async () => {
        await rename(join(inbox, name), join(archive, archiveName(name, new Date())))
        await Promise.all([inbox, archive].map(syncFolder))
      }),
    readNote: name => perform(`read ${name}`, () => readNote(join(archive, name))),
    writeNote: (name, text) =>
      perform(`write ${name}`, async () => {
        await writeFile(join(archive, name), text, { flush: true })
        await syncFolder(archive)
      }),
    close: () => Promise.resolve(),
  }
}

/** Rejects with TransportFailed, which names the act. */
async function perform<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TransportFailed) throw error
    throw new TransportFailed(`could not ${what}: ${failureWords(error)}`, { cause: error })
  }
}

async function sizeAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

async function readNote(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path)).subarray(0, NOTE_BYTES).toString('latin1')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes, { flag: 'wx', flush: true })
  await syncFolder(dirname(path))
}

/** rename(2) would replace an existing file; link(2) refuses a taken name. */
async function renameToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (isErrno(error, 'EEXIST')) throw new NameTaken(`${to} is there already`)
    throw error
  }
  await rm(from)
  await syncFolder(dirname(to))
}

async function listReports(inbox: string): Promise<RemoteFile[]> {
  const entries = await readdir(inbox, { withFileTypes: true })
  const names = entries.filter(entry => entry.isFile() && isReport(entry.name))
  const files = await Promise.all(
    names.map(async ({ name }) => ({ name, size: await sizeAt(join(inbox, name)) })),
  )
  // Another process may have archived the file since.
  return files
    .flatMap(({ name, size }) => (size === undefined ? [] : [{ name, size }]))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function* readPieces(path: string): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw new TransportFailed(`could not read ${path}: ${failureWords(error)}`, { cause: error })
  }
}

function isErrno(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === code
}
