// Lists the OpenTelemetry modules that a process loads: a hook writes their names to standard
// error, which process.ts adds to the log.
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

/** Environment variables that load the hook into a process. */
export const NAME_LOADED = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HOOK)}`,
}

/** The packages in the log, each once: `@opentelemetry/api`, … */
export function loadedBy(log: readonly LogLine[]): string[] {
  const names = log.flatMap(({ msg }) =>
    msg?.startsWith(WORD) ? [msg.slice(WORD.length).trim()] : [],
  )
  return [...new Set(names)].sort()
}
