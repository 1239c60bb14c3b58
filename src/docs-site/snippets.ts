// Writes one request in each language of the documentation. Pure.
import { curl } from './snippet/curl.ts'
import { python } from './snippet/python.ts'
import type { SnippetRequest } from './snippet/snippet.ts'
import { typescript } from './snippet/typescript.ts'

/** The address in the pages. A reader sees the address of their service instead. */
export const ADDRESS = 'http://127.0.0.1:8080'
export const KEY = 'key_…:…'

export function snippetsOf(request: Pick<SnippetRequest, 'verb' | 'path' | 'body'>): string {
  const sent = { ...request, origin: ADDRESS, key: KEY }
  const data = sent.body === undefined ? undefined : JSON.stringify(sent.body, null, 2)
  const blocks = [
    ['sh', curl(sent, data)],
    ['ts', typescript(sent)],
    ['python', python(sent)],
  ] as const
  return blocks.flatMap(([language, text]) => (text ? [fence(language, text)] : [])).join('\n\n')
}

export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
