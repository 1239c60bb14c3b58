// The UN's sanctions list for tests: the sample's entries, published today.
import { readFile } from 'node:fs/promises'
import { importList } from '../../../src/screening/import.ts'
import { updateRequired } from '../../../src/screening/list-store.ts'
import type { ListName } from '../../../src/screening/screening.ts'
import type { TestService } from './service.ts'

const UN = new URL('../../../src/screening/sample/un.xml', import.meta.url)

interface Database {
  readonly deps: Pick<TestService['deps'], 'sql'>
}

/** The list as XML; Eric Badege is on it, as CDi.001. */
export async function readUnList(): Promise<string> {
  const today = new Date().toISOString().slice(0, 10)
  return (await readFile(UN, 'utf8')).replace('2026-11-23', today)
}

export async function takeUnList(
  { deps }: Database,
  text: string,
  { is_sample = false, reason = '' } = {},
): Promise<void> {
  const chunks = (async function* () {
    yield new TextEncoder().encode(text)
  })()
  const named = { list: 'un', file_name: 'un.xml', imported_by: 'anna' } as const
  await importList(deps.sql, { ...named, is_sample, reason, chunks })
}

/** Reads the lists into this process. A read that has begun may not have seen the newest. */
export async function readLists({ deps }: Pick<TestService, 'deps'>): Promise<void> {
  for (let i = 0; i < 2; i++) await deps.lists.read()
}

export async function requireLists(
  { deps }: Database,
  ...required: readonly ListName[]
): Promise<void> {
  await updateRequired(deps.sql, { required, set_by: 'anna', reason: 'A test.' })
}
