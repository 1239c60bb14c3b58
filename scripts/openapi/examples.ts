// The examples of an operation: requests that a caller may send, and what the service has answered.
// They stand in docs/api/examples/, a file an operation; test/api/examples.test.ts sends and writes
// them. Knows files, no route.
import { readFileSync } from 'node:fs'

export interface Example {
  /** The body of the request, where there is one. */
  readonly request?: object
  /** The whole body of the answer; left out where another example shows such an answer. */
  readonly answer?: object
}

/** By name. */
export type Examples = Readonly<Record<string, Example>>

/** @fastify/swagger makes the examples of a request from this keyword of its schema. */
export const EXAMPLES = 'x-examples'

/** Where the examples of an operation stand. */
export function exampleFile(operationId: string): URL {
  return new URL(`../../docs/api/examples/${operationId}.json`, import.meta.url)
}

/** None when the operation has no file. */
export function readExamples(operationId: string): Examples {
  try {
    return JSON.parse(readFileSync(exampleFile(operationId), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** The requests among them as OpenAPI has examples. */
export function requestExamples(examples: Examples): Record<string, { value: object }> {
  return pick(examples, ({ request }) => request)
}

/** The answers among them as OpenAPI has examples. */
export function answerExamples(examples: Examples): Record<string, { value: object }> {
  return pick(examples, ({ answer }) => answer)
}

function pick(examples: Examples, part: (example: Example) => object | undefined) {
  const picked = Object.entries(examples).flatMap(([name, example]) => {
    const value = part(example)
    return value === undefined ? [] : [[name, { value }] as const]
  })
  return Object.fromEntries(picked)
}
