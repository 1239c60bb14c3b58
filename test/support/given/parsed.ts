// The JSON of an answer, for tests that read any member of it.

/** Undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
