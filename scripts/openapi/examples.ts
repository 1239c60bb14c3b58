// Reads the examples of an operation: requests, and the service's recorded answers.
// docs/api/examples/ has a file for each operation; test/api/examples.test.ts sends the requests
// and writes the answers. It knows files, and no route.
import { readFileSync } from 'node:fs'

export interface Example {
  /** The body of the request, if it has one. */
  readonly request?: object
  /** The whole body of the answer; absent when another example shows such an answer. */
  readonly answer?: object
}

/** Examples by name. */
export type Examples = Readonly<Record<string, Example>>

/** @fastify/swagger makes the examples of a request from this keyword of its schema. */
export const EXAMPLES = 'x-examples'

/** The file with the examples of an operation. */
export function exampleFile(operationId: string): URL {
  return new URL(`../../docs/api/examples/${operationId}.json`, import.meta.url)
}

/** The examples of an operation; {} when it has no file. */
export function readExamples(operationId: string): Examples {
  try {
    return JSON.parse(readFileSync(exampleFile(operationId), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** The requests in OpenAPI's form of examples. */
export function requestExamples(examples: Examples): Record<string, { value: object }> {
  return pick(examples, ({ request }) => request)
}

/** The answers in OpenAPI's form of examples. */
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
