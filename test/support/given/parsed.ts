// Parses the JSON of an answer, for tests that read any member of it.

/** Undefined when the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
