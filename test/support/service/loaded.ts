// Which modules of OpenTelemetry a process loads: a hook that names each on standard error, where it
// joins the log that process.ts keeps.
import type { LogLine } from './process.ts'

const WORD = 'loads of @opentelemetry:'

const HOOK = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      const name = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(url)?.[1]
      if (name !== undefined) process.stderr.write('${WORD} ' + name + '\\n')
      return next(url, context)
    },
  })`

/** For the environment of a process. */
export const NAME_LOADED = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HOOK)}`,
}

/** `@opentelemetry/api` and so on, each once. */
export function loadedBy(log: readonly LogLine[]): string[] {
  const names = log.flatMap(({ msg }) =>
    msg?.startsWith(WORD) ? [msg.slice(WORD.length).trim()] : [],
  )
  return [...new Set(names)].sort()
}
