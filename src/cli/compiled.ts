// Lets Node keep compiled modules, so that the next command starts in half the time. Later commands
// run the code in that folder, so only the user may write to it.
import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

const PRIVATE = 0o700
const WRITABLE_BY_OTHERS = 0o022

/** NODE_COMPILE_CACHE, if set, names another folder. */
export function keepCompiled(): void {
  if (getCompileCacheDir() !== undefined || process.env.NODE_DISABLE_COMPILE_CACHE === '1') return
  try {
    const folder = privateFolder(process.env.XDG_CACHE_HOME ?? '')
    if (folder !== undefined) enableCompileCache(folder)
  } catch {
    // Without a home, or on a full or read-only disk, every command compiles for itself.
  }
}

/** Undefined when others may write there. */
function privateFolder(caches: string): string | undefined {
  const folder = join(isAbsolute(caches) ? caches : join(homedir(), '.cache'), 'corridor')
  mkdirSync(folder, { recursive: true, mode: PRIVATE })
  const { uid, mode } = lstatSync(folder)
  const is_private = uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0
  return is_private ? folder : undefined
}
